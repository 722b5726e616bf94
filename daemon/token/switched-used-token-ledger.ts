import type { UsedTokenLedger } from './used-token-ledger.ts';

interface SwitchedLedgerOptions {
  readonly memory: UsedTokenLedger;
  readonly persistent: UsedTokenLedger;
  /** Whether new marks go to the persistent ledger; read at each claim. */
  readonly isPersistent: () => boolean;
}

/** Combines two ledgers into one, so that a token used before the setting changed stays used after it. */
export function createSwitchedUsedTokenLedger(options: SwitchedLedgerOptions): UsedTokenLedger {
  const { memory, persistent, isPersistent } = options;
  return {
    claim(token) {
      const [chosen, other] = isPersistent() ? [persistent, memory] : [memory, persistent];
      // Atomic: both ledgers answer synchronously.
      return !other.isClaimed(token.iss, token.jti) && chosen.claim(token);
    },
    isClaimed: (iss, jti) => memory.isClaimed(iss, jti) || persistent.isClaimed(iss, jti),
  };
}
