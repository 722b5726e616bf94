import type { UsedTokenLedger } from './used-token-ledger.ts';

interface SwitchedLedgerOptions {
  readonly memory: UsedTokenLedger;
  readonly persistent: UsedTokenLedger;
  /** Which of the two takes new marks; asked at each claim. */
  readonly isPersistent: () => boolean;
}

/** Makes one ledger of two, so that a token used before the setting changed stays used after it. */
export function createSwitchedUsedTokenLedger(options: SwitchedLedgerOptions): UsedTokenLedger {
  const { memory, persistent, isPersistent } = options;
  return {
    claim(token) {
      const [chosen, other] = isPersistent() ? [persistent, memory] : [memory, persistent];
      // One step: both ledgers answer without waiting.
      return !other.isClaimed(token.iss, token.jti) && chosen.claim(token);
    },
    isClaimed: (iss, jti) => memory.isClaimed(iss, jti) || persistent.isClaimed(iss, jti),
  };
}
