import type { AuditReport } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { BundleAssetCall, BundleCallLog } from '../bridge/asset-calls.ts';
import { noteChannelWrite } from '../rest/channel-write-note.ts';

/** Records in the audit log what bundles write, and which assets they are refused, like the requests of other identities. */
export function auditBundleCalls(audit: Pick<AuditLog, 'record'>): BundleCallLog {
  return {
    refused({ code, ...call }) {
      audit.record({
        event: 'ACCESS_REFUSED',
        outcome: 'FAILURE',
        ...describeCaller(call),
        detail: { code },
      });
    },
    wrote({ writes, records, code, ...call }) {
      const { outcome = 'SUCCESS', hasEffect, details = [] } = noteChannelWrite(call.asset, writes, records);
      const failure = code === undefined ? {} : { code };
      for (const detail of details) {
        audit.record({
          event: 'CHANNEL_WRITE',
          outcome,
          ...describeCaller(call),
          detail: { ...failure, ...detail },
          hasEffect,
        });
      }
    },
  };
}

function describeCaller({
  caller,
  asset,
}: BundleAssetCall): Pick<AuditReport, 'identity' | 'method' | 'target'> {
  return { identity: caller.identity.name, method: 'bundle', target: asset };
}
