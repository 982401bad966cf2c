// libcurl, and what Swift cannot see of it: functions with a variable number of arguments.
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
#include <curl/curl.h>

static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}
static inline CURLcode curl_set_number(CURL *handle, CURLoption option, long number) {
    return curl_easy_setopt(handle, option, number);
}
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *pointer) {
    return curl_easy_setopt(handle, option, pointer);
}
static inline CURLcode curl_set_writer(CURL *handle, size_t (*writer)(char *, size_t, size_t, void *), void *context) {
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
}
static inline CURLcode curl_get_status(CURL *handle, long *status) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
static inline CURLMcode curl_multi_set_socket_function(CURLM *multi, int (*function)(CURL *, curl_socket_t, int, void *, void *), void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}
static inline CURLMcode curl_multi_set_timer_function(CURLM *multi, int (*function)(CURLM *, long, void *), void *context) {
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}
/// The size must be set before: the body is copied.
static inline CURLcode curl_set_copied_body(CURL *handle, const void *bytes) {
    return curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "");
}
/// The result of a finished transfer, or -1 if none is left.
static inline int curl_take_result(CURLM *multi) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) return (int)message->data.result;
    }
    return -1;
}
#endif
