/** The name that is tried, and the address from which. */
export interface AttemptOrigin {
  readonly name: string;
  readonly remoteAddress: string;
}

// No identity has a longer name, so all longer ones can share one counter.
const LONGEST_NAME = 256;

/** Returns the name under which attempts are counted. */
export function boundName(name: string): string {
  return name.slice(0, LONGEST_NAME);
}
