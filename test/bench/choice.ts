import { findUnknown } from '../../packaging/tool-options.ts';
import { explainChange, listChangedFiles } from './changed-files.ts';
import { findCommit } from './checkout.ts';
import type { Scenario } from './scenario.ts';
import type { StoredRun } from './stored-table.ts';

/** What the command line says of scenarios. */
export interface Choice {
  readonly only: readonly string[];
  readonly changed: boolean;
  readonly since?: string | undefined;
  readonly store: boolean;
  readonly plan: boolean;
  readonly quick: boolean;
  readonly against?: string | undefined;
}

/** Returns the error in a choice; undefined: none. */
export function findChoiceFault(
  { only, changed, since, store, plan, quick, against }: Choice,
  scenarios: readonly string[],
  comparable: readonly string[],
): string | undefined {
  const unknown = findUnknown('--only', only, scenarios);
  if (unknown !== undefined) return unknown;
  if (changed && only.length > 0) return '--changed and --only: one of them';
  if (since !== undefined && !changed) return '--since: needs --changed';
  if (store && quick) return '--store and --quick: rows of short rounds are not stored';
  for (const [option, commit] of [
    ['--since', since],
    ['--against', against],
  ] as const) {
    if (commit !== undefined && findCommit(commit) === undefined)
      return `${option} ${commit}: no such commit in this repository`;
  }
  if (against === undefined) return undefined;
  if (changed || store || plan)
    return '--against: prints a comparison, without --changed, --store and --plan';
  const alone = only.filter((name) => !comparable.includes(name));
  return alone.length === 0
    ? undefined
    : `--only ${alone.join(', ')}: cannot compare two versions; those that can: ${comparable.join(', ')}`;
}

/** Whether the rows of a run go into the table: those of a whole run and of changed scenarios do, unless they are quick. */
export function isStored({ only, store, quick }: Pick<Choice, 'only' | 'store' | 'quick'>): boolean {
  return !quick && (only.length === 0 || store);
}

/** A scenario that is to run, and why if only some are. */
interface Chosen<Type> {
  readonly scenario: Type;
  readonly reason?: string | undefined;
}

/** Chooses the scenarios to run; with `changed` those whose last run does not show these sources. */
export function chooseScenarios<Type extends Pick<Scenario, 'name' | 'measures'>>(
  { only, changed, since }: Pick<Choice, 'only' | 'changed' | 'since'>,
  scenarios: readonly Type[],
  runs: readonly StoredRun[],
): readonly Chosen<Type>[] {
  if (!changed) {
    return scenarios
      .filter(({ name }) => only.length === 0 || only.includes(name))
      .map((scenario) => ({ scenario }));
  }
  const known = new Map<string, readonly string[] | undefined>();
  const filesSince = (commit: string): readonly string[] | undefined => {
    if (!known.has(commit)) known.set(commit, listChangedFiles(commit));
    return known.get(commit);
  };
  return scenarios.flatMap((scenario) => {
    const stored = runs.find((run) => run.scenario === scenario.name);
    const commit = stored === undefined ? undefined : (since ?? stored.commit);
    const reason = explainChange(scenario, commit, filesSince);
    return reason === undefined ? [] : [{ scenario, reason }];
  });
}
