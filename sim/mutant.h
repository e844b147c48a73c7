/* SPDX-License-Identifier: MIT */
/* A transport that breaks its contract, once: only to prove that the checkers of it bite. It stands
 * between the tap of one member and the network. */
#pragma once

#include "transport/transport.h"

typedef enum Mutation
{
  MUTATION_NONE,
  MUTATION_REORDER,    /* two messages of different senders change places, for one member */
  MUTATION_OVERTAKE,   /* two of one sender do */
  MUTATION_DUPLICATE,  /* a message comes twice */
  MUTATION_DROP,       /* a message does not come to one member */
  MUTATION_WRONG_VIEW, /* a view lists one member too few */
  MUTATION_POSTHUMOUS, /* a message comes once more behind the view that its sender left by */
  MUTATION_PREMATURE,  /* a message comes that its sender has prepared, but not sent yet */
  MUTATION_ALTERED     /* a byte is another one */
} Mutation;

/* What the mutants of one run share; cleared by whoever has it. */
typedef struct MutantPool
{
  Mutation mutation;
  MemberId victim;  /* what it is told is mutated */
  gboolean is_done; /* it was broken */
  MemberId prepared_by;
  Buffer *prepared; /* a message that its sender was told FULL for; NULL: none */
} MutantPool;

void mutant_pool_clear (MutantPool *pool);

/* Takes `inner`. `pool` outlives it. */
Transport *mutant_new (Transport *inner, MutantPool *pool);
