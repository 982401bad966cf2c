// The system's message bus with logind: sd-bus as far as SystemBus uses it. One message is handled
// per turn of the event loop, replies after the signals before them.
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <systemd/sd-bus.h>

#include "preload.h"

#define MATCHES 8
#define REPLIES 16
#define LOGIND "org.freedesktop.login1"
#define BUS "org.freedesktop.DBus"

struct sd_bus_message {
    /// Of a call: its method and its first text. Of others: the sender.
    char method[64], text[64], sender[64];
    /// The types of the arguments, and the next one that is read.
    const char *types;
    int position, number;
    char texts[3][64];
    sd_bus_error error;
    sd_bus_message_handler_t callback;
    void *context;
    /// A reply follows so many signals.
    int64_t after;
};

struct sd_bus {
    int number;
    sd_event_source *source;
    struct { char rule[256]; sd_bus_message_handler_t callback; void *context; } matches[MATCHES];
    int match_count;
    sd_bus_message *replies[REPLIES];
    int reply_count;
};

static const char *owner(void) {
    static char name[64];
    snprintf(name, sizeof name, ":1.%d", machine->bus.logind);
    return name;
}

// MARK: Messages

PUBLIC int sd_bus_message_new_method_call(sd_bus *bus, sd_bus_message **message, const char *destination,
                                          const char *path, const char *interface, const char *member) {
    (void)bus, (void)destination, (void)path, (void)interface;
    *message = calloc(1, sizeof **message);
    machine_set_text((*message)->method, sizeof (*message)->method, member);
    return 0;
}

PUBLIC int sd_bus_message_set_auto_start(sd_bus_message *message, int starts) { return (void)message, (void)starts, 0; }

PUBLIC int sd_bus_message_append_basic(sd_bus_message *message, char type, const void *value) {
    if (type == 's' && !message->text[0]) machine_set_text(message->text, sizeof message->text, value);
    return 0;
}

PUBLIC sd_bus_message *sd_bus_message_unref(sd_bus_message *message) {
    if (message && message->types && message->types[0] == 'h') close(message->number);
    free(message);
    return NULL;
}

PUBLIC int sd_bus_message_is_method_error(sd_bus_message *message, const char *name) {
    return (void)name, message->error.name != NULL;
}

PUBLIC const sd_bus_error *sd_bus_message_get_error(sd_bus_message *message) { return &message->error; }
PUBLIC const char *sd_bus_message_get_sender(sd_bus_message *message) { return message->sender; }

PUBLIC const char *sd_bus_message_get_path(sd_bus_message *message) {
    (void)message;
    return "/org/freedesktop/login1";
}

PUBLIC int sd_bus_message_peek_type(sd_bus_message *message, char *type, const char **contents) {
    if (contents) *contents = NULL;
    *type = message->types ? message->types[message->position] : 0;
    return *type != 0;
}

PUBLIC int sd_bus_message_read_basic(sd_bus_message *message, char type, void *value) {
    if (!message->types || message->types[message->position] != type) return -ENXIO;
    if (type == 's') *(const char **)value = message->texts[message->position];
    else *(int *)value = message->number;
    message->position++;
    return 1;
}

PUBLIC int sd_bus_message_enter_container(sd_bus_message *message, char type, const char *contents) {
    (void)message, (void)type, (void)contents;
    unexpected("sd_bus_message_enter_container");
}

PUBLIC int sd_bus_message_exit_container(sd_bus_message *message) {
    (void)message;
    unexpected("sd_bus_message_exit_container");
}

// MARK: The connection

static struct machine_descriptor *descriptor(const sd_bus *bus) { return &SELF->descriptors[bus->number]; }

PUBLIC int sd_bus_open_system(sd_bus **result) {
    struct call call = begin_call(MACHINE_CALL_CONNECT, "sd_bus_open_system", -1, NULL);
    if (call_fails(&call) || !machine->bus.is_present) return (int)end_call(&call, -ECONNREFUSED);
    int number = new_descriptor(MACHINE_BUS, 0, O_RDWR | O_NONBLOCK);
    if (number < 0) return (int)end_call(&call, -errno);
    SELF->descriptors[number].value = (int64_t)machine->bus.count;
    *result = calloc(1, sizeof **result);
    (*result)->number = number;
    return (int)end_call(&call, 1);
}

PUBLIC int sd_bus_set_exit_on_disconnect(sd_bus *bus, int ends) { return (void)bus, (void)ends, 0; }
PUBLIC int sd_bus_set_close_on_exit(sd_bus *bus, int closes) { return (void)bus, (void)closes, 0; }

PUBLIC sd_bus *sd_bus_flush_close_unref(sd_bus *bus) {
    if (!bus) return NULL;
    sd_event_source *(*unref)(sd_event_source *) = real_function("sd_event_source_unref");
    unref(bus->source);
    drop_descriptor(bus->number);
    for (int i = 0; i < bus->reply_count; i++) sd_bus_message_unref(bus->replies[i]);
    free(bus);
    return NULL;
}

// MARK: Signals

static void deliver(sd_bus *bus, sd_bus_message *signal, const char *member) {
    char wanted[80];
    snprintf(wanted, sizeof wanted, "member='%s'", member);
    for (int i = 0; i < bus->match_count; i++) {
        signal->position = 0;
        if (strstr(bus->matches[i].rule, wanted)) bus->matches[i].callback(signal, bus->matches[i].context, NULL);
    }
}

static void set_sender(sd_bus_message *message, const char *sender) {
    machine_set_text(message->sender, sizeof message->sender, sender);
}

static void signal_change_of_owner(sd_bus *bus, const struct machine_bus_event *event) {
    sd_bus_message message = { .types = "sss" };
    set_sender(&message, BUS);
    machine_set_text(message.texts[0], sizeof message.texts[0], LOGIND);
    int number = event->kind == MACHINE_BUS_LOGIND_GONE ? 1 : 2;
    snprintf(message.texts[number], sizeof message.texts[number], ":1.%d", event->logind);
    deliver(bus, &message, "NameOwnerChanged");
}

static void handle_event(sd_bus *bus, const struct machine_bus_event *event) {
    sd_bus_message message = { .types = "b", .number = event->kind == MACHINE_BUS_SLEEP };
    snprintf(message.sender, sizeof message.sender, ":1.%d", event->logind);
    switch (event->kind) {
    case MACHINE_BUS_SLEEP: case MACHINE_BUS_RESUME: deliver(bus, &message, "PrepareForSleep"); break;
    case MACHINE_BUS_LOGIND_GONE: case MACHINE_BUS_LOGIND_CAME: signal_change_of_owner(bus, event); break;
    default:
        message.types = "";
        set_sender(&message, "org.freedesktop.DBus.Local");
        deliver(bus, &message, "Disconnected");
    }
}

static void handle_reply(sd_bus *bus) {
    sd_bus_message *reply = bus->replies[0];
    bus->reply_count--;
    memmove(bus->replies, bus->replies + 1, sizeof *bus->replies * (size_t)bus->reply_count);
    descriptor(bus)->interval = bus->reply_count;
    reply->callback(reply, reply->context, NULL);
    sd_bus_message_unref(reply);
}

static int dispatch(sd_event_source *source, int number, uint32_t events, void *context) {
    (void)source, (void)events;
    sd_bus *bus = context;
    struct call call = begin_call(MACHINE_CALL_RECEIVE, "sd_bus_process", number, NULL);
    end_call(&call, 1);
    struct machine_descriptor *it = descriptor(bus);
    bool has_signal = (uint64_t)it->value < machine->bus.count;
    if (bus->reply_count > 0 && (!has_signal || bus->replies[0]->after <= it->value)) handle_reply(bus);
    else if (has_signal) handle_event(bus, &machine->bus.events[(uint64_t)it->value++ % MACHINE_BUS_EVENTS]);
    return 0;
}

PUBLIC int sd_bus_attach_event(sd_bus *bus, sd_event *event, int priority) {
    (void)priority;
    int (*add)(sd_event *, sd_event_source **, int, uint32_t, sd_event_io_handler_t, void *) = real_function("sd_event_add_io");
    return add(event, &bus->source, bus->number, EPOLLIN, dispatch, bus);
}

PUBLIC int sd_bus_add_match_async(sd_bus *bus, sd_bus_slot **slot, const char *rule, sd_bus_message_handler_t callback,
                                  sd_bus_message_handler_t installed, void *context) {
    (void)slot, (void)installed;
    if (bus->match_count == MATCHES) unexpected("sd_bus_add_match_async: more than %d rules", MATCHES);
    machine_set_text(bus->matches[bus->match_count].rule, sizeof bus->matches[0].rule, rule);
    bus->matches[bus->match_count].callback = callback;
    bus->matches[bus->match_count++].context = context;
    return 0;
}

// MARK: Calls

/// A lock is a pipe whose other end is the world's.
static int new_lock(void) {
    machine_bus_locks(machine);
    for (int i = 0; i < MACHINE_BUS_LOCKS; i++) {
        if (machine->bus.locks[i]) continue;
        int32_t channel = machine_open_channel(machine, MACHINE_PIPE, self_index, MACHINE_WORLD);
        int number = channel < 0 ? -1 : new_end(channel, 0, O_RDONLY);
        if (number >= 0) machine->bus.locks[i] = channel + 1;
        return number;
    }
    unexpected("more than %d locks of logind", MACHINE_BUS_LOCKS);
}

static void answer(sd_bus_message *reply, const sd_bus_message *call) {
    set_sender(reply, strcmp(call->method, "Inhibit") == 0 ? owner() : BUS);
    if (machine->bus.logind == 0) {
        bool asks = strcmp(call->method, "GetNameOwner") == 0;
        reply->error = (sd_bus_error){ asks ? BUS ".Error.NameHasNoOwner" : BUS ".Error.ServiceUnknown", "no logind", 0 };
    } else if (strcmp(call->method, "Inhibit") == 0) {
        reply->types = "h";
        reply->number = new_lock();
        machine->has_output = 1;
    } else if (strcmp(call->method, "GetNameOwner") == 0) {
        reply->types = "s";
        machine_set_text(reply->texts[0], sizeof reply->texts[0], owner());
    } else unexpected("a call of %s on the message bus", call->method);
}

PUBLIC int sd_bus_call_async(sd_bus *bus, sd_bus_slot **slot, sd_bus_message *message, sd_bus_message_handler_t callback,
                             void *context, uint64_t timeout) {
    (void)slot, (void)timeout;
    struct call call = begin_call(MACHINE_CALL_SEND, "sd_bus_call_async", bus->number, message->method);
    if (call_fails(&call)) return (int)end_call(&call, -call.error);
    if (bus->reply_count == REPLIES) unexpected("more than %d calls on the message bus", REPLIES);
    sd_bus_message *reply = calloc(1, sizeof *reply);
    answer(reply, message);
    reply->callback = callback;
    reply->context = context;
    reply->after = (int64_t)machine->bus.count;
    bus->replies[bus->reply_count++] = reply;
    descriptor(bus)->interval = bus->reply_count;
    return (int)end_call(&call, 1);
}
