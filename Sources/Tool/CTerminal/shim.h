#include <histedit.h>
#include <stdint.h>
#include <stdio.h>
#include <stddef.h>
#include <wchar.h>

#if defined(__linux__)
// Declared by <wchar.h> for programs that ask for X/Open functions only.
int wcwidth(wchar_t character);
#endif

/// The number of cells that a code point takes in a terminal; -1 if it cannot be printed.
static inline int cterminal_width(uint32_t code_point) { return wcwidth((wchar_t)code_point); }

/// Opens an editor of lines on the standard streams.
static inline EditLine *cterminal_open(const char *name) { return el_init(name, stdin, stdout, stderr); }

// Swift cannot call functions with a variable number of arguments: these are the calls of libedit that the shell needs.

static inline int cterminal_set_prompt(EditLine *line, char *(*prompt)(EditLine *)) {
    return el_set(line, EL_PROMPT, prompt);
}

static inline int cterminal_set_editor(EditLine *line, const char *name) { return el_set(line, EL_EDITOR, name); }

static inline int cterminal_set_owner(EditLine *line, void *owner) { return el_set(line, EL_CLIENTDATA, owner); }

static inline void *cterminal_owner(EditLine *line) {
    void *owner = NULL;
    el_get(line, EL_CLIENTDATA, &owner);
    return owner;
}

static inline int cterminal_set_history(EditLine *line, History *entries) { return el_set(line, EL_HIST, history, entries); }

static inline int cterminal_add_function(
    EditLine *line, const char *name, const char *help, unsigned char (*function)(EditLine *, int)
) {
    return el_set(line, EL_ADDFN, name, help, function);
}

static inline int cterminal_bind(EditLine *line, const char *key, const char *function) {
    return el_set(line, EL_BIND, key, function, NULL);
}

/// Changes a mode of the terminal while a line is edited: `-isig` makes Ctrl-C a key.
static inline int cterminal_set_terminal(EditLine *line, const char *setting) {
    return el_set(line, EL_SETTY, "-d", setting, NULL);
}

static inline int cterminal_set_history_size(History *entries, int size) {
    HistEvent event;
    return history(entries, &event, H_SETSIZE, size);
}

/// Leaves out entries that are equal to the one before.
static inline int cterminal_set_history_unique(History *entries) {
    HistEvent event;
    return history(entries, &event, H_SETUNIQUE, 1);
}

static inline int cterminal_add_to_history(History *entries, const char *text) {
    HistEvent event;
    return history(entries, &event, H_ENTER, text);
}

static inline int cterminal_load_history(History *entries, const char *path) {
    HistEvent event;
    return history(entries, &event, H_LOAD, path);
}

static inline int cterminal_save_history(History *entries, const char *path) {
    HistEvent event;
    return history(entries, &event, H_SAVE, path);
}
