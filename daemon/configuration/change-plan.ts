import { isDeepStrictEqual } from 'node:util';

import type { ManagedConfiguration } from './managed-document.ts';
import { OBJECT_SECTIONS } from './managed-document.ts';

/** What a change of the configuration does. Things are named as in paths of the interface: `drivers/line1`, `rest/allowedPorts`. */
export interface ChangePlan {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Pids of the drivers whose connections are closed, and opened again with what is new; all others go on undisturbed. */
  readonly restartedConnections: readonly string[];
}

/** Compares two configurations, the defaults filled in: what merely spells out a default is no change. */
export function planChange(before: ManagedConfiguration, after: ManagedConfiguration): ChangePlan {
  const settings = OBJECT_SECTIONS.flatMap((section) =>
    listChangedKeys(before[section], after[section]).map((key) => `${section}/${key}`),
  );
  const [former, next] = [listItems(before), listItems(after)];
  const changed = [...next].filter(
    ([name, item]) => former.has(name) && !isDeepStrictEqual(former.get(name), item),
  );
  const changedNames = [...settings, ...changed.map(([name]) => name)];
  return {
    added: [...next.keys()].filter((name) => !former.has(name)),
    changed: changedNames,
    removed: [...former.keys()].filter((name) => !next.has(name)),
    restartedConnections: after.plant.drivers
      .map(({ pid }) => pid)
      .filter((pid) => changedNames.includes(`drivers/${pid}`)),
  };
}

function listChangedKeys(before: object, after: object): readonly string[] {
  const former = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([key, value]) => !isDeepStrictEqual(former.get(key), value))
    .map(([key]) => key);
}

function listItems(configuration: ManagedConfiguration): ReadonlyMap<string, unknown> {
  const { tokenIssuingServices, tokenVerificationServices, plant } = configuration;
  const lists = { tokenIssuingServices, tokenVerificationServices, ...plant };
  return new Map(
    Object.entries(lists).flatMap(([section, items]) =>
      items.map((item) => [`${section}/${item.pid}`, item] as const),
    ),
  );
}
