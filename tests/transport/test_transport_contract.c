/* SPDX-License-Identifier: MIT */
/* The contract, held against the simulated transport. */
#include "tests/transport/contract.h"

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  contract_add_storm_claims (&sim_immediate_cluster);
  contract_add_situations (&sim_immediate_cluster);
  contract_add_storm_claims (&sim_delayed_cluster);
  contract_add_situations (&sim_delayed_cluster);
  status = g_test_run ();
  contract_end_storms ();
  return status;
}
