#include <spawn.h>

#if defined(__linux__)
// GNU extensions (glibc 2.29 and 2.34), which Swift does not see.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
#endif
