/** Message of samples, as far as it is checked. */
export interface LedgerMessage {
  readonly gateway: string;
  readonly backlog?: boolean;
  readonly samples?: readonly { readonly sequence: number; readonly channel: string }[];
}

/** Findings about all gateways. */
export interface LedgerFindings {
  /** Samples that came at least once. */
  readonly samples: number;
  /** Further copies of samples that had come. */
  readonly duplicates: number;
  /** Samples that did not come. */
  readonly lost: number;
  /** Samples that came out of the order that is promised. */
  readonly disordered: number;
}

/** Record of one gateway. */
interface Account {
  /** Number of times that each sample came, by its sequence number. */
  counts: Uint8Array;
  /** Highest sequence number of live samples by channel, of all connections. */
  readonly live: Map<string, number>;
  /** Highest sequence number of backlog samples by channel, of this connection. */
  readonly backlog: Map<string, number>;
  /** Lowest sequence number of live samples of this connection. */
  firstLive: number;
}

const COPIES = 255;

/**
 * Counts what a subscriber receives of many gateways, whose samples are numbered from 1 without holes.
 *
 * Checked is the order that penstock-mqtt promises for each channel: live samples ascend and are never repeated as live; backlog
 * samples ascend within a connection, and are older than its live samples.
 */
export class Ledger {
  readonly #accounts = new Map<string, Account>();
  #samples = 0;
  #duplicates = 0;
  #disordered = 0;

  /** Records that a gateway has a new connection. */
  connect(gateway: string): void {
    const account = this.#accountOf(gateway);
    account.backlog.clear();
    account.firstLive = Infinity;
  }

  take({ gateway, backlog = false, samples = [] }: LedgerMessage): void {
    const account = this.#accountOf(gateway);
    for (const { sequence, channel } of samples) {
      this.#count(account, sequence);
      const isInOrder = backlog
        ? takeBacklog(account, channel, sequence)
        : takeLive(account, channel, sequence);
      if (!isInOrder) this.#disordered += 1;
    }
  }

  /**
   * Returns what came, and what did not.
   *
   * @param expected sequence number of the newest sample of each gateway
   */
  findings(expected: ReadonlyMap<string, number>): LedgerFindings {
    let lost = 0;
    for (const [gateway, newest] of expected) {
      const { counts } = this.#accountOf(gateway);
      for (let sequence = 1; sequence <= newest; sequence += 1) {
        if ((counts[sequence] ?? 0) === 0) lost += 1;
      }
    }
    return { samples: this.#samples, duplicates: this.#duplicates, lost, disordered: this.#disordered };
  }

  #count(account: Account, sequence: number): void {
    if (sequence >= account.counts.length) account.counts = grow(account.counts, sequence);
    const copies = account.counts[sequence] ?? 0;
    account.counts[sequence] = Math.min(COPIES, copies + 1);
    if (copies === 0) this.#samples += 1;
    else this.#duplicates += 1;
  }

  #accountOf(gateway: string): Account {
    let account = this.#accounts.get(gateway);
    if (account === undefined) {
      account = { counts: new Uint8Array(256), live: new Map(), backlog: new Map(), firstLive: Infinity };
      this.#accounts.set(gateway, account);
    }
    return account;
  }
}

function takeLive(account: Account, channel: string, sequence: number): boolean {
  const isInOrder = sequence > (account.live.get(channel) ?? 0);
  account.live.set(channel, Math.max(sequence, account.live.get(channel) ?? 0));
  account.firstLive = Math.min(account.firstLive, sequence);
  return isInOrder;
}

function takeBacklog(account: Account, channel: string, sequence: number): boolean {
  const isInOrder = sequence > (account.backlog.get(channel) ?? 0) && sequence < account.firstLive;
  account.backlog.set(channel, sequence);
  return isInOrder;
}

function grow(counts: Uint8Array, sequence: number): Uint8Array {
  const grown = new Uint8Array(Math.max(counts.length * 2, sequence + 1));
  grown.set(counts);
  return grown;
}
