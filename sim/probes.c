/* SPDX-License-Identifier: MIT */
#include "sim/probes.h"

const ProbeInfo probe_infos[N_PROBES] = {
#define PROBE(id, name, what) [PROBE_##id] = { name, what },
#include "sim/probes.def"
#undef PROBE
};

static Probe
find_probe (const char *name)
{
  for (guint i = 0; i < N_PROBES; i++)
    if (g_str_equal (probe_infos[i].name, name))
      return (Probe) i;
  g_error ("the core reaches '%s', which sim/probes.def does not have", name);
}

static void
on_reached (Trace *trace, G_GNUC_UNUSED const char *member, const char *situation)
{
  Probes *probes = (Probes *) trace;
  guint slot = g_str_hash (situation) % PROBES_CACHED;

  if (g_strcmp0 (probes->known[slot], situation) != 0)
    {
      probes->known_as[slot] = (guint8) find_probe (situation);
      probes->known[slot] = situation;
    }
  probes->counts[probes->known_as[slot]]++;
}

static void
on_emit (Trace *trace, const char *member, const char *text)
{
  Probes *probes = (Probes *) trace;

  probes->text->emit (probes->text, member, text);
}

void
probes_init (Probes *probes)
{
  *probes = (Probes){ .trace = { .reached = on_reached } };
}

void
probes_set_text (Probes *probes, Trace *text)
{
  probes->text = text;
  probes->trace.emit = text == NULL ? NULL : on_emit;
}

char *
probes_text (const guint64 *counts)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < N_PROBES; i++)
    if (counts[i] > 0)
      g_string_append_printf (text, "%s%s=%" G_GUINT64_FORMAT, text->len == 0 ? "" : " ",
                              probe_infos[i].name, counts[i]);
  return g_string_free (text, FALSE);
}
