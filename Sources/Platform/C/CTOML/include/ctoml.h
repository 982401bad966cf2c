// Reads a TOML document with toml++ (https://marzer.github.io/tomlplusplus/), which Swift cannot call.
#ifndef CTOML_H
#define CTOML_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// A parsed document; free it with ctoml_free.
typedef struct ctoml_document ctoml_document;
/// A value of a document, which lives as long as the document.
typedef struct ctoml_node ctoml_node;

typedef enum {
    ctoml_kind_table,
    ctoml_kind_array,
    ctoml_kind_text,
    ctoml_kind_integer,
    ctoml_kind_number,
    ctoml_kind_flag,
    /// A date or a time.
    ctoml_kind_time,
} ctoml_kind;

/// Parses a text in UTF-8. Returns NULL if it is no TOML or memory is short: then `line` has the line from 1, and `problem`,
/// of this capacity, the reason.
ctoml_document *ctoml_parse(const char *text, size_t length, int *line, char *problem, size_t capacity);
void ctoml_free(ctoml_document *document);
/// The table of a document.
const ctoml_node *ctoml_root(const ctoml_document *document);
ctoml_kind ctoml_kind_of(const ctoml_node *node);
/// The line on which a value begins, from 1.
uint32_t ctoml_line(const ctoml_node *node);
/// Each of these needs a node of its kind.
int64_t ctoml_integer(const ctoml_node *node);
double ctoml_number(const ctoml_node *node);
bool ctoml_flag(const ctoml_node *node);
const char *ctoml_text(const ctoml_node *node, size_t *length);
/// Calls a function for each value of a table or an array, whose values have no key.
void ctoml_each(const ctoml_node *node, void *context,
                void (*function)(void *context, const char *key, size_t length, const ctoml_node *value));

#ifdef __cplusplus
}
#endif
#endif
