import type { Call } from './traced-run.ts';

/** One operation that is cut off, and what is done before it. */
export interface Scenario {
  readonly name: string;
  /** Runs of the program that lead to the state before. */
  readonly preparation: readonly Command[];
  /** The run that is cut off. */
  readonly operation: Command;
  /** What the next start is told; it only starts unless the scenario says otherwise. */
  readonly restart?: Command;
}

/** An operation of a program and its parameters. */
export type Command = readonly string[];

/** What a run of a program said last, as far as every program says it. */
export interface Report {
  /** How the operation ended, in the words of the program; empty when there was none. */
  readonly outcome: string;
}

/** Something that keeps a state, and may be cut off at any moment. */
export interface Subject<R extends Report = Report> {
  readonly name: string;
  /** Runs as `PROGRAM DIRECTORY OPERATION PARAMETER...`; the last line that it writes is its report as JSON. */
  readonly program: string;
  /** The system calls that are of interest. */
  readonly calls: readonly Call[];
  /** Writes what the scenarios need into a directory, and gives them. */
  prepareScenarios(directory: string): readonly Scenario[];
  /** Describes what a start has found, so that two states can be compared; what differs by chance is left out. */
  describe(directory: string, report: R): unknown;
  /** Says what is wrong with what a start has found, whatever was there before. */
  inspect(directory: string, report: R): readonly string[];
  /** Says what a run that was cut off, or met a failing medium, has found wrong with itself. */
  listObjections(report: R | undefined): readonly string[];
  /**
   * Says which state an operation has promised to leave.
   *
   * @param report undefined when the run was cut off before it said anything
   */
  findPromise(report: R | undefined): 'before' | 'after' | undefined;
}
