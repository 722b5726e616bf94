import { generateKeyPairSync } from 'node:crypto';

import { toAuditKey } from '../../daemon/audit/audit-key.ts';
import type { AuditKey } from '../../daemon/audit/audit-key.ts';

/** Creates a key for an audit log. */
export function createAuditKey(): AuditKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return toAuditKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
}
