#include "ctoml.h"

#include <cstring>
#include <exception>
#include <string>

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
// The parser and the destructors recurse. With the longest line of a file, this bounds their stack.
#define TOML_MAX_NESTED_VALUES 4
#include <toml++/toml.h>

struct ctoml_document {
    toml::table table;
};

static const ctoml_node *exported(const toml::node *node) { return reinterpret_cast<const ctoml_node *>(node); }
static const toml::node *imported(const ctoml_node *node) { return reinterpret_cast<const toml::node *>(node); }

static void describe(char *problem, size_t capacity, const std::string &text) {
    if (capacity == 0) return;
    size_t length = text.size() < capacity ? text.size() : capacity - 1;
    std::memcpy(problem, text.data(), length);
    problem[length] = 0;
}

ctoml_document *ctoml_parse(const char *text, size_t length, int *line, char *problem, size_t capacity) {
    *line = 0;
    try {
        return new ctoml_document{toml::parse(std::string_view(text, length))};
    } catch (const toml::parse_error &error) {
        *line = static_cast<int>(error.source().begin.line);
        describe(problem, capacity, std::string(error.description()));
    } catch (const std::exception &error) {
        describe(problem, capacity, error.what());
    }
    return nullptr;
}

void ctoml_free(ctoml_document *document) { delete document; }

const ctoml_node *ctoml_root(const ctoml_document *document) { return exported(&document->table); }

ctoml_kind ctoml_kind_of(const ctoml_node *node) {
    switch (imported(node)->type()) {
        case toml::node_type::table: return ctoml_kind_table;
        case toml::node_type::array: return ctoml_kind_array;
        case toml::node_type::string: return ctoml_kind_text;
        case toml::node_type::integer: return ctoml_kind_integer;
        case toml::node_type::floating_point: return ctoml_kind_number;
        case toml::node_type::boolean: return ctoml_kind_flag;
        default: return ctoml_kind_time;
    }
}

uint32_t ctoml_line(const ctoml_node *node) { return imported(node)->source().begin.line; }

int64_t ctoml_integer(const ctoml_node *node) { return imported(node)->value_or<int64_t>(0); }
double ctoml_number(const ctoml_node *node) { return imported(node)->value_or<double>(0); }
bool ctoml_flag(const ctoml_node *node) { return imported(node)->value_or<bool>(false); }

const char *ctoml_text(const ctoml_node *node, size_t *length) {
    const auto *text = imported(node)->as_string();
    *length = text ? text->get().size() : 0;
    return text ? text->get().data() : "";
}

void ctoml_each(const ctoml_node *node, void *context,
                void (*function)(void *context, const char *key, size_t length, const ctoml_node *value)) {
    if (const auto *table = imported(node)->as_table()) {
        for (const auto &[key, value] : *table) {
            std::string_view name = key.str();
            function(context, name.data(), name.size(), exported(&value));
        }
    } else if (const auto *array = imported(node)->as_array()) {
        for (const auto &value : *array) function(context, "", 0, exported(&value));
    }
}
