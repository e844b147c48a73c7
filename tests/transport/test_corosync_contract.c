/* SPDX-License-Identifier: MIT */
/* The contract, held against corosync: run by tests/cpg/test_contract.sh, inside of a laboratory
 * ($CONSORT_LAB: lab.sh, which has started three nodes). */
#include "tests/transport/contract.h"

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  contract_add_storm_claims (&corosync_cluster);
  contract_add_situations (&corosync_cluster);
  status = g_test_run ();
  contract_end_storms ();
  return status;
}
