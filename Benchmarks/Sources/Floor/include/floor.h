// The floor: the work SQLite itself has to do for a benchmark, in C, through prepared statements and with no document model.
//
// Every measuring function takes the path of its SQLite file and gives the seconds of the part that is compared. There is nothing
// to recover when SQLite reports an error: the functions then print it on standard error and end the process with code 70.
#ifndef FLOOR_H
#define FLOOR_H

#include <stdbool.h>

// The rows of a database's default collection, held in memory, in the order of their keys.
typedef struct FloorRows FloorRows;

// Reads all rows from the SQLite file of a closed database. Free them with floor_rows_free.
FloorRows *floor_rows_load(const char *database_file);
int floor_rows_count(const FloorRows *rows);
void floor_rows_free(FloorRows *rows);

// Calls `work`. A profiler can find by its name what is measured.
void floor_run_measured(void (*work)(void *), void *context);

// A new file with the rows' bytes, in one transaction.
double floor_insert_batch(const char *file, const FloorRows *rows);
// A new file with the first `count` rows, a transaction each. With `full_sync` each commit waits for the disk.
double floor_insert_each(const char *file, const FloorRows *rows, int count, bool full_sync);
// In a file made by floor_insert_batch: reads every row and writes it back with a new sequence, in one transaction.
double floor_update_batch(const char *file, const FloorRows *rows);
// In a file made by floor_insert_batch: moves every row, without its body, to the table of deleted documents, in one transaction.
double floor_delete_batch(const char *file, const FloorRows *rows);
// In a file made by floor_insert_batch: reads `count` rows by key, in random order.
double floor_read_random(const char *file, const FloorRows *rows, int count);

// Adds the table `j` (key, doc) with the benchmark documents as JSON text: what one would use instead of a document database.
void floor_json_fill(const char *file, const FloorRows *rows);
// Runs the query once to warm up, and once to be timed: all rows and the texts of their first two columns. `rows` gets their number.
double floor_json_query(const char *file, const char *sql, int *rows);
// Looks up `count` documents by name, in random order among `documents`, with one prepared statement.
double floor_json_point(const char *file, int documents, int count, int *rows);
// Creates an index of `j` over an SQL expression.
double floor_json_create_index(const char *file, const char *name, const char *expression);
void floor_json_drop_index(const char *file, const char *name);

// A new file with texts in a table and in a full-text index of SQLite's own, in one transaction.
double floor_text_insert(const char *file, const char *const *texts, int count);
// A new file with texts in a table: creates the full-text index of them.
double floor_text_build(const char *file, const char *const *texts, int count);
// The same file with the index: searches for each pattern, for the 20 texts that match best. `rows` gets how many were found.
double floor_text_search(
    const char *file, const char *const *texts, int count, const char *const *patterns, int pattern_count, int *rows);

#endif
