import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { Command, Scenario, Subject } from './subject.ts';
import { countCalls, execute } from './traced-run.ts';
import type { Fault, TracedRun } from './traced-run.ts';

/** A scenario that was run without faults. */
export interface Ground {
  readonly subject: Subject;
  readonly scenario: Scenario;
  /** Copy of the state before. */
  readonly origin: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly faults: readonly Fault[];
}

/** The result of a run with a fault. */
export interface Finding {
  /** The fault occurred. */
  readonly isHit: boolean;
  readonly violations: readonly string[];
  /** Standard error of the run and of the start after it. */
  readonly errors: string;
}

/** Runs scenarios in one directory, one after the other. */
export class Matrix {
  readonly #root: string;
  readonly #work: string;

  /** @param root its own directory */
  constructor(root: string) {
    this.#root = root;
    this.#work = path.join(root, 'work');
  }

  /**
   * Runs a scenario without faults, and finds every position at which it can be cut off.
   *
   * @throws when it does not come to its end
   */
  prepare(subject: Subject, scenario: Scenario): Ground {
    const origin = path.join(this.#root, 'before', subject.name, scenario.name);
    rmSync(this.#work, { recursive: true, force: true });
    mkdirSync(this.#work);
    for (const command of scenario.preparation) this.#complete(subject, command);
    cpSync(this.#work, origin, { recursive: true });
    const before = this.#start(subject, scenario, this.#work);
    this.#restore(origin);
    const { program, calls } = subject;
    const run = { program, directory: this.#work, command: scenario.operation };
    const counts = countCalls(run, calls);
    const after = this.#start(subject, scenario, this.#work);
    const faults = (['KILL', 'ENOSPC', 'EIO'] as const).flatMap((kind) =>
      calls.flatMap((call) =>
        Array.from({ length: counts.get(call) ?? 0 }, (_, index) => ({ call, number: index + 1, kind })),
      ),
    );
    return { subject, scenario, origin, before, after, faults };
  }

  /** Runs a scenario with one fault, starts again, and verifies the state that the start finds. */
  breakAt(ground: Ground, fault: Fault): Finding {
    const { subject, scenario, origin } = ground;
    this.#restore(origin);
    const broken = execute(
      { program: subject.program, directory: this.#work, command: scenario.operation },
      fault,
    );
    if (!broken.isHit) return { isHit: false, violations: [], errors: broken.errors };
    // The files that a loss of power right after the answer would have left.
    const places = [this.#work, `${this.#work}-at-answer`].filter((place) => existsSync(place));
    const findings = places.map((place) => this.#verify(ground, broken, place));
    return {
      isHit: true,
      violations: [
        ...findings.flatMap(({ violations }) => violations),
        ...subject.listObjections(broken.report),
        ...(broken.isStuck ? ['it did not end'] : []),
      ],
      errors: [broken.errors, ...findings.map(({ errors }) => errors)].join('\n'),
    };
  }

  #verify(
    { subject, scenario, before, after }: Ground,
    broken: TracedRun,
    place: string,
  ): Omit<Finding, 'isHit'> {
    const { report, errors } = execute(startOf(subject, scenario, place));
    if (report === undefined) return { violations: ['it does not start'], errors };
    const found = subject.describe(place, report);
    const isOld = isDeepStrictEqual(found, before);
    const isNew = isDeepStrictEqual(found, after);
    const promise = subject.findPromise(broken.report);
    const violations = [...subject.inspect(place, report)];
    if (!isOld && !isNew) violations.push(`neither old nor new: ${JSON.stringify(found)}`);
    if (promise === 'after' && !isNew) violations.push('it is said to be done, and is not');
    if (promise === 'before' && !isOld) violations.push('it is said to be refused, and was done');
    return { violations, errors };
  }

  #restore(origin: string): void {
    for (const place of [this.#work, `${this.#work}-at-answer`])
      rmSync(place, { recursive: true, force: true });
    cpSync(origin, this.#work, { recursive: true });
  }

  #complete(subject: Subject, command: Command): void {
    const { report, errors } = execute({ program: subject.program, directory: this.#work, command });
    if (subject.findPromise(report) !== 'after')
      throw new Error(`${command.join(' ')}: ${report?.outcome ?? errors}`);
  }

  #start(subject: Subject, scenario: Scenario, place: string): unknown {
    const { report, errors } = execute(startOf(subject, scenario, place));
    if (report === undefined) throw new Error(errors);
    return subject.describe(place, report);
  }
}

function startOf({ program }: Subject, { restart = ['start'] }: Scenario, directory: string) {
  return { program, directory, command: restart };
}
