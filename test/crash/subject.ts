import type { Call } from './traced-run.ts';

/** One operation that is cut off, and the operations before it. */
export interface Scenario {
  readonly name: string;
  /** Runs of the program that lead to the state before. */
  readonly preparation: readonly Command[];
  /** The run that is cut off. */
  readonly operation: Command;
  /** Arguments of the next start; it only starts unless the scenario names an operation. */
  readonly restart?: Command;
}

/** An operation of a program and its parameters. */
export type Command = readonly string[];

/** The last report of a run, as far as all programs share it. */
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
  /** Writes the files of the scenarios into a directory, and returns the scenarios. */
  prepareScenarios(directory: string): readonly Scenario[];
  /** Describes the state that a start has found, without parts that differ by chance, so that two states can be compared. */
  describe(directory: string, report: R): unknown;
  /** Names errors in the state that a start has found, regardless of the state before it. */
  inspect(directory: string, report: R): readonly string[];
  /** Names the errors that a run which was cut off, or met a failing disk, has found in itself. */
  listObjections(report: R | undefined): readonly string[];
  /**
   * Says which state an operation has promised to leave.
   *
   * @param report undefined when the run was cut off before it reported anything
   */
  findPromise(report: R | undefined): 'before' | 'after' | undefined;
}
