import type { BundleMachine } from '../bundles/bundle-machine.ts';
import type { DrawnBundle, DrawnPackage } from '../bundles/drawn-package.ts';
import type { Chronicle } from '../world/chronicle.ts';

/** What has to become of an installation that nothing interrupts. */
export type Verdict = 'MUST_COMPLETE' | 'MUST_FAIL';

/** An installed package as the gateway lists it. */
export interface ShownPackage {
  readonly name: string;
  readonly version: string;
  readonly bundles: readonly { readonly name: string; readonly version: string; readonly state: string }[];
}

/** A moment of the world in which the gateway was asked, and gave its answer. */
export interface AskedPeriod {
  readonly sentMs: number;
  readonly answeredMs: number;
  /** Since when the gateway serves. */
  readonly servingSinceMs: number;
}

const PROBATION_MS = 5000;
// An installation, a start of the gateway, and then the slowest activation.
const START_MS = 180_000;
// A process that has just died may still be shown, and one that has just become active not yet.
const SLACK_MS = 1000;
// The time that a bundle has to deactivate, and to end afterwards.
const STOP_MS = 10_000;

/** The packages that are installed, as what the gateway said of its operations has them. */
export class PackageModel {
  readonly #machine: BundleMachine;
  readonly #chronicle: Chronicle;
  readonly #installed = new Map<string, { readonly drawn: DrawnPackage; readonly sinceMs: number }>();
  readonly #restartedMs = new Map<string, number>();

  constructor(machine: BundleMachine, chronicle: Chronicle) {
    this.#machine = machine;
    this.#chronicle = chronicle;
  }

  find(name: string): DrawnPackage | undefined {
    return this.#installed.get(name)?.drawn;
  }

  /** The names of the installed packages. */
  get names(): readonly string[] {
    return [...this.#installed.keys()];
  }

  /** Says what must become of an installation that begins now. */
  judge(drawn: DrawnPackage): Verdict {
    if (drawn.defect !== undefined || this.#isSharing(drawn)) return 'MUST_FAIL';
    if (this.find(drawn.name) === drawn) return 'MUST_COMPLETE';
    return drawn.bundles.every(({ program }) => program === undefined || staysUp(program))
      ? 'MUST_COMPLETE'
      : 'MUST_FAIL';
  }

  /** Notes what is installed under a name now; its bundles may have been started anew, also those of the version before. */
  conclude(name: string, drawn: DrawnPackage | undefined, nowMs: number): void {
    if (drawn === undefined) this.#installed.delete(name);
    // A package that was refused leaves the installed one as it was, given up bundles included.
    else if (this.#installed.get(name)?.drawn !== drawn) this.#installed.set(name, { drawn, sinceMs: nowMs });
  }

  /** Notes that a bundle is restarted. */
  noteRestart(bundle: string, nowMs: number): void {
    this.#restartedMs.set(bundle, nowMs);
  }

  /** Notes that bundles were removed with their data, as far as no package has them any more. */
  forgetData(of: DrawnPackage | undefined): void {
    const kept = new Set(
      [...this.#installed.values()].flatMap(({ drawn }) => drawn.bundles.map(({ name }) => name)),
    );
    for (const { name } of of?.bundles ?? []) if (!kept.has(name)) this.#machine.forgetData(name);
  }

  /** Checks `package-whole`: what is listed and what runs is what was installed. */
  checkList(shown: readonly ShownPackage[], period: AskedPeriod): void {
    const expected = [...this.#installed.values()].map(({ drawn }) => describe(drawn));
    const found = shown.map(describe);
    if (expected.toSorted().join('; ') !== found.toSorted().join('; ')) {
      this.#break(`expected ${expected.join('; ') || 'nothing'}; listed ${found.join('; ') || 'nothing'}`);
      return;
    }
    for (const { name, bundles } of shown) {
      for (const bundle of bundles) this.#checkState(name, bundle, period);
    }
    this.#checkOrphans();
  }

  #checkState(owner: string, shown: ShownPackage['bundles'][number], period: AskedPeriod): void {
    const { drawn, sinceMs } = this.#installed.get(owner) ?? {};
    const bundle = drawn?.bundles.find(({ name }) => name === shown.name);
    if (bundle === undefined || sinceMs === undefined) return;
    const { sentMs, servingSinceMs } = period;
    const { program } = bundle;
    if (program === undefined) {
      if (shown.state !== 'RESOLVED') this.#break(`${shown.name} is ${shown.state}, and has no program`);
      return;
    }
    const process = this.#machine.running.find(({ programId }) => programId === program.id);
    const isActive =
      (process?.activeSinceMs ?? Infinity) + SLACK_MS < sentMs &&
      !this.#isStopping(shown.name, process, sentMs);
    const diedMs = this.#machine.lastCrashMs(shown.name);
    if (isActive && shown.state !== 'ACTIVE') this.#break(`${program.id} runs, and is ${shown.state}`);
    const endedMs = this.#machine.lastEndMs(shown.name);
    if (process === undefined && shown.state === 'ACTIVE' && endedMs + SLACK_MS < sentMs) {
      this.#break(`${program.id} is ACTIVE, and does not run`);
    }
    // An installation that is refused starts the bundles anew that it had ended, each when it is its turn.
    const newestMs = Math.max(this.#restartedMs.get(shown.name) ?? 0, process?.startedMs ?? endedMs);
    const startedMs = Math.max(sinceMs, servingSinceMs, newestMs);
    if (!isActive && staysUp(program) && startedMs + START_MS < sentMs && diedMs < startedMs) {
      this.#break(`${program.id} is installed since ${sinceMs}, and does not run: ${shown.state}`);
    }
  }

  // A restart is not waited for: the process may still be ending.
  #isStopping(
    bundle: string,
    process: BundleMachine['running'][number] | undefined,
    sentMs: number,
  ): boolean {
    const restartedMs = this.#restartedMs.get(bundle) ?? -Infinity;
    return (process?.startedMs ?? 0) < restartedMs && sentMs < restartedMs + STOP_MS;
  }

  #checkOrphans(): void {
    const programs = new Set(
      [...this.#installed.values()].flatMap(({ drawn }) => drawn.bundles.map(({ program }) => program?.id)),
    );
    const orphan = this.#machine.running.find(({ programId }) => !programs.has(programId));
    if (orphan !== undefined) this.#break(`${orphan.programId} runs, and is not installed`);
  }

  #isSharing({ name, bundles }: DrawnPackage): boolean {
    const own = new Set(bundles.map((bundle) => bundle.name));
    return [...this.#installed.values()].some(
      ({ drawn }) => drawn.name !== name && drawn.bundles.some((bundle) => own.has(bundle.name)),
    );
  }

  #break(text: string): void {
    this.#chronicle.break('package-whole', text);
  }
}

function staysUp({ activation, livesMs = Infinity }: NonNullable<DrawnBundle['program']>): boolean {
  return (activation === 'PROMPT' || activation === 'SLOW') && livesMs > PROBATION_MS;
}

function describe({
  name,
  version,
  bundles,
}: Pick<ShownPackage, 'name' | 'version'> & {
  readonly bundles: readonly { readonly name: string; readonly version: string }[];
}): string {
  return `${name} ${version} [${bundles.map((bundle) => `${bundle.name} ${bundle.version}`).join(', ')}]`;
}
