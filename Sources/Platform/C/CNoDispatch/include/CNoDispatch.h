#ifndef CNODISPATCH_H
#define CNODISPATCH_H
// Nothing to call: see CNoDispatch.c.
#endif
