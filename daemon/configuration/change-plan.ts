import { isDeepStrictEqual } from 'node:util';

import { findConnectionChange } from '../plant/asset/connection/connection-change.ts';
import { createFinding } from '../interface/finding.ts';
import type { Finding } from '../interface/finding.ts';
import type { Slices } from '../base/slices.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { TemplateContents, TemplateSet } from './asset-templates.ts';
import { listLostAccess } from './lost-access.ts';
import type { ManagedConfiguration } from './managed-document.ts';
import { OBJECT_SECTIONS } from './managed-document.ts';

/** Effects of a configuration change. Items are named as in paths of the REST API: `drivers/line1`, `rest/allowedPorts`. */
export interface ChangePlan {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Pids of the drivers whose connections are closed and reopened; all others are left alone. */
  readonly restartedConnections: readonly string[];
  /** Access that clients lose, in words. */
  readonly cutsOff: readonly string[];
  /** Codes and values of the sentences in `cutsOff` and `warnings`; absent if there are none. */
  readonly findings?: readonly Finding[] | undefined;
  /** Names of the templates that have changed, whose assets change with this; absent when there are none. */
  readonly changedTemplates?: readonly string[] | undefined;
  /** Possible mistakes that are allowed, in words; absent if there are none. */
  readonly warnings?: readonly string[] | undefined;
}

/**
 * Compares two configurations with all defaults filled in, item by item: stating a default explicitly is no change.
 *
 * @param factories all driver types
 */
export function* planChange(
  factories: readonly DriverFactory[],
  before: ManagedConfiguration,
  after: ManagedConfiguration,
): Slices<ChangePlan> {
  const settings = OBJECT_SECTIONS.flatMap((section) =>
    listChangedKeys(before[section], after[section]).map((key) => `${section}/${key}`),
  );
  const [previous, next] = [listItems(before), listItems(after)];
  const changed: string[] = [];
  for (const [name, item] of next) {
    yield;
    if (previous.has(name) && !isDeepStrictEqual(previous.get(name), item)) changed.push(name);
  }
  const lost = yield* listLostAccess(before, after);
  const restartedConnections = yield* listRestarted(factories, before, after);
  return {
    added: [...next.keys()].filter((name) => !previous.has(name)),
    changed: [...settings, ...changed],
    removed: [...previous.keys()].filter((name) => !next.has(name)),
    restartedConnections,
    cutsOff: lost.map(({ message }) => message),
    ...(lost.length === 0 ? {} : { findings: lost }),
  };
}

/** Adds possible mistakes to a plan. */
export function addWarnings(plan: ChangePlan, warnings: readonly Finding[]): ChangePlan {
  if (warnings.length === 0) return plan;
  const findings = [...(plan.findings ?? []), ...warnings];
  return { ...plan, warnings: warnings.map(({ message }) => message), findings };
}

function* listRestarted(
  factories: readonly DriverFactory[],
  before: ManagedConfiguration,
  after: ManagedConfiguration,
): Slices<readonly string[]> {
  const previous = new Map(before.plant.drivers.map((driver) => [driver.pid, driver]));
  const restarted: string[] = [];
  for (const driver of after.plant.drivers) {
    yield;
    const existing = previous.get(driver.pid);
    if (existing === undefined) continue;
    if (findConnectionChange(factories, existing, driver) === 'RESTARTED') restarted.push(driver.pid);
  }
  return restarted;
}

function listChangedKeys(before: object, after: object): readonly string[] {
  const previous = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([key, value]) => !isDeepStrictEqual(previous.get(key), value))
    .map(([key]) => key);
}

function listItems(configuration: ManagedConfiguration): ReadonlyMap<string, unknown> {
  const { tokenIssuingServices, tokenVerificationServices, recorders, bundles, plant } = configuration;
  const lists = { tokenIssuingServices, tokenVerificationServices, ...plant, recorders, bundles };
  return new Map(
    Object.entries(lists).flatMap(([section, items]) =>
      items.map((item) => [`${section}/${item.pid}`, item] as const),
    ),
  );
}

/** Lists the templates whose content differs from the active one; added and removed ones are listed by their assets. */
export function listTemplateChanges(before: TemplateContents, after: TemplateContents): readonly string[] {
  return Object.keys(after).filter(
    (name) => Object.hasOwn(before, name) && !isDeepStrictEqual(before[name], after[name]),
  );
}

/** Warns of templates that stay active although their file is missing or faulty. */
export function listTemplateWarnings({ keptNames }: TemplateSet): readonly Finding[] {
  return keptNames.map((name) => createFinding('TEMPLATE_KEPT', { template: name }));
}
