// libcurl, loaded when it is first needed: it loads 25 other libraries, and with them it takes 0.6 MB of private memory, which a device
// that reports over MQTT does not need. Functions with a variable number of arguments have one function for each type.
#ifndef CCURL_H
#define CCURL_H
#include <curl/curl.h>
#include <stdbool.h>

/// Loads libcurl and initialises it. Returns NULL, or why that failed. Every other function needs it.
const char *ccurl_load(void);

CURL *ccurl_new(void);
void ccurl_free(CURL *handle);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *text);
CURLcode ccurl_set_number(CURL *handle, CURLoption option, long number);
CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers);
/// The size must be set before: the body is copied.
CURLcode ccurl_set_copied_body(CURL *handle, const void *bytes);
CURLcode ccurl_set_writer(CURL *handle, size_t (*writer)(char *, size_t, size_t, void *), void *context);
CURLcode ccurl_get_status(CURL *handle, long *status);
/// Opens a connection to the URL without a request, and waits until it is open; returns its socket.
CURLcode ccurl_connect(CURL *handle, int *socket);
/// Read and write on such a connection without waiting: CURLE_AGAIN if that is not possible now.
CURLcode ccurl_receive(CURL *handle, void *bytes, size_t size, size_t *count);
CURLcode ccurl_send(CURL *handle, const void *bytes, size_t size, size_t *count);
const char *ccurl_error_text(CURLcode code);

struct curl_slist *ccurl_append(struct curl_slist *list, const char *line);
void ccurl_free_list(struct curl_slist *list);

CURLM *ccurl_new_multi(void);
void ccurl_free_multi(CURLM *multi);
CURLMcode ccurl_set_socket_function(CURLM *multi, int (*function)(CURL *, curl_socket_t, int, void *, void *), void *context);
CURLMcode ccurl_set_timer_function(CURLM *multi, int (*function)(CURLM *, long, void *), void *context);
CURLMcode ccurl_add(CURLM *multi, CURL *handle);
CURLMcode ccurl_remove(CURLM *multi, CURL *handle);
CURLMcode ccurl_act(CURLM *multi, curl_socket_t socket, int events, int *running);
/// The result of a finished transfer, or -1 if none is left.
int ccurl_take_result(CURLM *multi);
#endif
