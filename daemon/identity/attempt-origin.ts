/** Who is being tried, and where the attempt comes from. */
export interface AttemptOrigin {
  readonly name: string;
  readonly remoteAddress: string;
}

// No identity has a longer name, so that all longer ones may share one place.
const LONGEST_NAME = 256;

/** Gives what a name is counted under. */
export function boundName(name: string): string {
  return name.slice(0, LONGEST_NAME);
}
