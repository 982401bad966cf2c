/* The Swift library of Debian unstable was built with glibc 2.42. Its headers call these functions by names that the
   glibc of Debian 12 (2.36) does not have. There they exist under their old names, which differ only in that they do not
   read binary numbers such as 0b11, and Swift passes none. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }

int __isoc23_sscanf(const char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}

size_t strlcpy(char *to, const char *from, size_t size)
{
    size_t length = 0;
    for (; from[length]; length++)
        if (length + 1 < size)
            to[length] = from[length];
    if (size)
        to[length < size ? length : size - 1] = 0;
    return length;
}
