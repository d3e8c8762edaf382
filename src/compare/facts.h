/*
 * facts - the machine and the settings, on record
 */
#pragma once

#include "compare/result.h"

void lsr_fact_printf(struct lsr_experiment *x, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Version, kernel, processor, mitigations, null system call, memory. */
void lsr_facts_machine(struct lsr_experiment *x);

/* The file system that @path is on, with its mount options. */
void lsr_facts_place(struct lsr_experiment *x, const char *name, const char *path);
