import { generateKeyPairSync } from 'node:crypto';

import { toAuditKey } from '../../daemon/security/audit/audit-key.ts';
import type { AuditKey } from '../../daemon/security/audit/audit-key.ts';
import type { ChainHead, HeadState } from '../../daemon/security/audit/chain-head.ts';

/** Creates a key for an audit log. */
export function createAuditKey(): AuditKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return toAuditKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
}

/** Creates a head of an audit log that is kept in memory. */
export function createMemoryHead(): ChainHead {
  let kept: HeadState | undefined;
  return {
    read: () => kept,
    write: (state) => {
      kept = state;
    },
  };
}
