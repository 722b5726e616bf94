import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { REPORT_FILE, STEP_FILE } from './attempt-bundle.ts';
import type { ReportLine } from './attempt-bundle.ts';
import type { AttemptGroup, Fact, FactKind, Verdict } from './attempt.ts';
import { createCanaryFolder } from './canary-folder.ts';
import { CanaryListeners } from './canary-listeners.ts';
import { CanaryProcess } from './canary-process.ts';
import type { Account } from './canary-process.ts';
import { findOwnResources } from './own-resources.ts';
import { TreeWatch } from './tree-watch.ts';

/** The process of a bundle of `writeAttemptBundle`, however it is supervised. */
export interface AttemptProcess {
  /** Undefined when it does not run. */
  readonly pid: number | undefined;
  /** Whether it is in the sandbox of a bundle. */
  readonly isFenced: boolean;
  readonly directory: string;
  readonly dataDirectory: string;
  /** Starts it if it does not run. */
  start(): Promise<void>;
  /** Ends it; resolves when it is gone. */
  end(): Promise<void>;
  /** Everything that it has written to its outputs or sent to the gateway. */
  output(): string;
  /** Lists the processes among which those that it starts will be. */
  listProcesses(): readonly number[];
}

interface AttemptRunOptions {
  /** Exists; no bundle may read or write here. Its file system records times of access. */
  readonly canaryDirectory: string;
  readonly certificate: string;
  /** Is in the environment and in an inherited descriptor of this process. */
  readonly inheritedSecret: string;
  /** Whose process bundles may not reach; this user unless given. */
  readonly account?: Account;
}

// What is still there after an attempt, and would be found again after the next one.
const LASTING: ReadonlySet<FactKind> = new Set(['listening', 'outgrown']);
const POLL_MS = 2;
const START_LIMIT_MS = 60_000;
const ATTEMPT_LIMIT_MS = 10_000;
const MAXIMUM_STARTS = 3;
// How long a supervisor may take to end a bundle that uses too much, where the kernel does not.
const EXCESS_LIMIT_MS = 15_000;
const EXCESS_POLL_MS = 50;
// Signals, datagrams and the ends of processes arrive a little later.
const SETTLE_MS = 15;

/** Runs attempts one by one, and finds out after each of them what has happened outside of the bundle. */
export class AttemptRun {
  readonly #options: AttemptRunOptions;
  readonly #process: CanaryProcess;
  readonly #listeners: CanaryListeners;

  private constructor(options: AttemptRunOptions, canary: CanaryProcess, listeners: CanaryListeners) {
    this.#options = options;
    this.#process = canary;
    this.#listeners = listeners;
  }

  static async prepare(options: AttemptRunOptions): Promise<AttemptRun> {
    const canary = await CanaryProcess.start(options.inheritedSecret, options.account);
    return new AttemptRun(options, canary, await CanaryListeners.open(options.canaryDirectory));
  }

  /** Lets one bundle make all attempts of a group. */
  async run({ category, attempts }: AttemptGroup, bundle: AttemptProcess): Promise<readonly Verdict[]> {
    // What an earlier run has left would be taken for the outcomes of this one.
    await bundle.end();
    for (const file of [REPORT_FILE, STEP_FILE])
      rmSync(path.join(bundle.dataDirectory, file), { force: true });
    const verdicts: Verdict[] = [];
    const program = new TreeWatch(bundle.directory);
    for (const [index, { title, isolation }] of attempts.entries()) {
      const isAlone = isolation === 'ALWAYS' || (isolation === 'UNFENCED' && !bundle.isFenced);
      if (isAlone) await bundle.end();
      await bundle.start();
      const { outcome, facts } = await this.#try(`${category}-${index}`, index, bundle, program);
      verdicts.push({ category, title, outcome, facts });
      if (isAlone || facts.some(({ kind }) => LASTING.has(kind))) await bundle.end();
    }
    await bundle.end();
    return verdicts;
  }

  async close(): Promise<void> {
    this.#listeners.close();
    await this.#process.stop();
  }

  async #try(
    name: string,
    index: number,
    bundle: AttemptProcess,
    program: TreeWatch,
  ): Promise<{ readonly outcome: string; readonly facts: readonly Fact[] }> {
    const { canaryDirectory, certificate, inheritedSecret } = this.#options;
    const token = `canary-${randomBytes(12).toString('hex')}`;
    const folder = createCanaryFolder({ folder: path.join(canaryDirectory, name), token, certificate });
    const known = new Set(bundle.listProcesses());
    const at = { ...folder.files, ...this.#listeners.addresses, pid: this.#process.pid };
    const step = path.join(bundle.dataDirectory, STEP_FILE);
    writeFileSync(`${step}.new`, JSON.stringify({ index, at }));
    renameSync(`${step}.new`, step);
    const line = await awaitReport(bundle, index, known);
    await pause(SETTLE_MS);
    const outcome = line?.outcome ?? 'ended';
    const secrets = [...folder.secrets, inheritedSecret];
    const facts: readonly Fact[] = [
      ...folder.look(),
      ...program.look(),
      ...(isKnown(secrets, outcome, bundle) ? [{ kind: 'leaked', detail: '' } as const] : []),
      ...(line?.told !== undefined && line.told[0] !== line.told[1]
        ? [{ kind: 'told', detail: line.told.join(' | ') } as const]
        : []),
      ...this.#listeners.look(),
      ...(await lookAtOwnResources(bundle)),
      ...endStrangers(bundle, known),
      ...(await this.#process.look()),
    ];
    return { outcome: outcome.slice(0, 300), facts };
  }
}

/**
 * Waits for the end of an attempt; undefined: it ended the process.
 *
 * @param known takes the processes of a bundle that had to be started again
 */
async function awaitReport(
  bundle: AttemptProcess,
  index: number,
  known: Set<number>,
): Promise<ReportLine | undefined> {
  let limitMs = performance.now() + START_LIMIT_MS;
  let isBegun = false;
  let starts = 0;
  for (;;) {
    const isEnded = bundle.pid === undefined;
    const lines = readReport(bundle.dataDirectory).filter((line) => line.index === index);
    const end = lines.find(({ outcome }) => outcome !== undefined);
    if (end !== undefined) return end;
    if (!isBegun && lines.length > 0) {
      isBegun = true;
      limitMs = performance.now() + ATTEMPT_LIMIT_MS;
    }
    if (isEnded && isBegun) return undefined;
    if (isEnded) {
      // Its supervisor was about to stop it. One that ended before it began has tried nothing.
      starts += 1;
      if (starts > MAXIMUM_STARTS)
        throw new Error(`no start for attempt ${index}: ${bundle.output().slice(-2000)}`);
      await bundle.start();
      for (const pid of bundle.listProcesses()) known.add(pid);
    }
    if (performance.now() > limitMs) await bundle.end();
    await pause(POLL_MS);
  }
}

async function lookAtOwnResources(bundle: AttemptProcess): Promise<readonly Fact[]> {
  const limitMs = performance.now() + (bundle.isFenced ? EXCESS_LIMIT_MS : 0);
  for (;;) {
    const facts = bundle.pid === undefined ? [] : findOwnResources(bundle.pid);
    if (!facts.some(({ kind }) => kind === 'outgrown') || performance.now() > limitMs) return facts;
    await pause(EXCESS_POLL_MS);
  }
}

function readReport(dataDirectory: string): readonly ReportLine[] {
  const file = path.join(dataDirectory, REPORT_FILE);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ReportLine);
}

/** Whether a secret is in the result of the attempt, in the output of the bundle, or in a file that it has written. */
function isKnown(secrets: readonly string[], outcome: string, bundle: AttemptProcess): boolean {
  const own = new Set([REPORT_FILE, STEP_FILE].map((name) => path.join(bundle.dataDirectory, name)));
  const files = listFiles(bundle.dataDirectory).filter((file) => !own.has(file));
  const texts = [outcome, bundle.output(), ...files.map((file) => readFileSync(file, 'latin1'))];
  return secrets.some((secret) => texts.some((text) => text.includes(secret)));
}

// Follows no links.
function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(file);
    return entry.isFile() ? [file] : [];
  });
}

/** Finds the processes that were not there, and ends them. */
function endStrangers(bundle: AttemptProcess, known: ReadonlySet<number>): readonly Fact[] {
  const strangers = bundle.listProcesses().filter((pid) => !known.has(pid));
  return strangers.map((pid) => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
    return { kind: 'started', detail: `process ${pid}` };
  });
}
