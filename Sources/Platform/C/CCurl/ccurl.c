// The macros of curl.h that check types do not work with pointers to its functions.
#define CURL_DISABLE_TYPECHECK
#include "ccurl.h"

#include <dlfcn.h>
#include <stddef.h>

// Debian 11 to 13 and all others since 2006.
#define LIBRARY "libcurl.so.4"

#define FUNCTIONS(DO) \
    DO(curl_global_init) \
    DO(curl_easy_init) \
    DO(curl_easy_cleanup) \
    DO(curl_easy_setopt) \
    DO(curl_easy_getinfo) \
    DO(curl_easy_strerror) \
    DO(curl_easy_perform) \
    DO(curl_easy_recv) \
    DO(curl_easy_send) \
    DO(curl_slist_append) \
    DO(curl_slist_free_all) \
    DO(curl_multi_init) \
    DO(curl_multi_cleanup) \
    DO(curl_multi_setopt) \
    DO(curl_multi_add_handle) \
    DO(curl_multi_remove_handle) \
    DO(curl_multi_socket_action) \
    DO(curl_multi_info_read)

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define DECLARE(name) __typeof__(&name) name;
static struct { FUNCTIONS(DECLARE) } library;
static bool is_loaded;

const char *ccurl_load(void) {
    if (is_loaded) return NULL;
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
#define LOAD(name) \
    library.name = (__typeof__(&name))dlsym(handle, #name); \
    if (!library.name) return LIBRARY " has no function " #name;
    FUNCTIONS(LOAD)
    if (library.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return LIBRARY " cannot be initialised";
    is_loaded = true;
    return NULL;
}

CURL *ccurl_new(void) { return library.curl_easy_init(); }
void ccurl_free(CURL *handle) { library.curl_easy_cleanup(handle); }

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *text) {
    return library.curl_easy_setopt(handle, option, text);
}

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long number) {
    return library.curl_easy_setopt(handle, option, number);
}

CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers) {
    return library.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

CURLcode ccurl_set_copied_body(CURL *handle, const void *bytes) {
    return library.curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "");
}

CURLcode ccurl_set_writer(CURL *handle, size_t (*writer)(char *, size_t, size_t, void *), void *context) {
    library.curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    return library.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
}

CURLcode ccurl_get_status(CURL *handle, long *status) {
    return library.curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

CURLcode ccurl_connect(CURL *handle, int *socket) {
    CURLcode code = library.curl_easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L);
    if (code == CURLE_OK) code = library.curl_easy_perform(handle);
    return code == CURLE_OK ? library.curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, socket) : code;
}

CURLcode ccurl_receive(CURL *handle, void *bytes, size_t size, size_t *count) {
    return library.curl_easy_recv(handle, bytes, size, count);
}

CURLcode ccurl_send(CURL *handle, const void *bytes, size_t size, size_t *count) {
    return library.curl_easy_send(handle, bytes, size, count);
}

const char *ccurl_error_text(CURLcode code) { return library.curl_easy_strerror(code); }

struct curl_slist *ccurl_append(struct curl_slist *list, const char *line) { return library.curl_slist_append(list, line); }
void ccurl_free_list(struct curl_slist *list) { library.curl_slist_free_all(list); }

CURLM *ccurl_new_multi(void) { return library.curl_multi_init(); }
void ccurl_free_multi(CURLM *multi) { library.curl_multi_cleanup(multi); }

CURLMcode ccurl_set_socket_function(CURLM *multi, int (*function)(CURL *, curl_socket_t, int, void *, void *), void *context) {
    library.curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return library.curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

CURLMcode ccurl_set_timer_function(CURLM *multi, int (*function)(CURLM *, long, void *), void *context) {
    library.curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return library.curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

CURLMcode ccurl_add(CURLM *multi, CURL *handle) { return library.curl_multi_add_handle(multi, handle); }
CURLMcode ccurl_remove(CURLM *multi, CURL *handle) { return library.curl_multi_remove_handle(multi, handle); }

CURLMcode ccurl_act(CURLM *multi, curl_socket_t socket, int events, int *running) {
    return library.curl_multi_socket_action(multi, socket, events, running);
}

int ccurl_take_result(CURLM *multi) {
    int left = 0;
    CURLMsg *message;
    while ((message = library.curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) return (int)message->data.result;
    }
    return -1;
}
