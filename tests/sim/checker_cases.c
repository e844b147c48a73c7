/* SPDX-License-Identifier: MIT */
#include "tests/sim/checker_cases.h"

#include <string.h>

static void
test_broken (gconstpointer data)
{
  const CheckerCase *checker_case = data;
  g_autoptr (Findings) findings = findings_new ();
  const char *text;

  checker_case->history (findings, TRUE);
  g_assert_cmpuint (findings_count (findings), ==, 1);
  g_assert_cmpint (findings_verdict (findings), ==, checker_case->verdict);
  text = findings_text (findings, 0);
  g_test_message ("%s", text);
  g_assert_true (g_str_has_prefix (text, checker_case->rule));
  for (guint i = 0; i < G_N_ELEMENTS (checker_case->says); i++)
    g_assert_nonnull (strstr (text, checker_case->says[i]));
}

static void
test_kept (gconstpointer data)
{
  const CheckerCase *checker_case = data;
  g_autoptr (Findings) findings = findings_new ();

  checker_case->history (findings, FALSE);
  if (findings_count (findings) > 0)
    g_test_message ("%s", findings_text (findings, 0));
  g_assert_cmpuint (findings_count (findings), ==, 0);
  g_assert_cmpint (findings_verdict (findings), ==, VERDICT_PASS);
}

void
checker_cases_add (const CheckerCase *cases, guint n_cases)
{
  for (guint i = 0; i < n_cases; i++)
    {
      g_autofree char *broken = g_strdup_printf ("/sim/checkers/finds/%s", cases[i].name);
      g_autofree char *kept = g_strdup_printf ("/sim/checkers/takes/not-%s", cases[i].name);

      g_test_add_data_func (broken, &cases[i], test_broken);
      g_test_add_data_func (kept, &cases[i], test_kept);
    }
}

gboolean
checker_cases_says (const Findings *findings, const char *rule)
{
  g_autofree char *prefix = g_strconcat (rule, ":", NULL);

  for (guint i = 0; i < MIN (findings_count (findings), FINDINGS_KEPT); i++)
    if (g_str_has_prefix (findings_text (findings, i), prefix))
      return TRUE;
  return FALSE;
}
