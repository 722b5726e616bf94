import type { Announcement } from '../security/audit/announcements.ts';
import type { AuditReport } from '../security/audit/audit-event.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import type { AuditAnnotation } from '../security/audit/audit-annotation.ts';
import { recordInterruptedWrite } from '../plant/asset/write/interrupted-write.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type {
  BundleAssetCall,
  BundleCallLog,
  BundleWrite,
  BundleWriteOutcome,
} from '../software/bridge/asset-calls.ts';
import { noteChannelWrite } from '../server/rest/plant/channel-write-note.ts';

/** Records writes of bundles and refused assets in the audit log, like requests of other identities. */
export function auditBundleCalls(
  audit: Pick<AuditLog, 'announce' | 'record' | 'settle'>,
  clock: Pick<Clock, 'epochMs'>,
): BundleCallLog {
  function wrote(
    { writes, key, ...call }: BundleWrite,
    outcome: BundleWriteOutcome,
    announced?: Announcement,
  ): void {
    const { records, code } = outcome;
    const failure = code === undefined ? {} : { code };
    const reports = toReports(call, noteChannelWrite(call.asset, writes, records));
    for (const report of reports) {
      audit.record({ ...report, detail: { ...failure, ...report.detail, ...keyDetail(key) } }, announced);
    }
  }
  return {
    refused({ code, ...call }) {
      audit.record({
        event: 'ACCESS_REFUSED',
        outcome: 'FAILURE',
        ...describeCaller(call),
        detail: { code },
      });
    },
    replayed({ key, ...call }) {
      audit.record({
        event: 'CHANNEL_WRITE',
        outcome: 'SUCCESS',
        ...describeCaller(call),
        detail: { replayedKey: key },
        hasEffect: false,
      });
    },
    async begin(write) {
      const records = recordInterruptedWrite(write.writes, clock.epochMs());
      const reports = toReports(write, noteChannelWrite(write.asset, write.writes, records));
      const announced = await audit.announce(reports).catch((error: unknown) => {
        if (error instanceof GatewayError) wrote(write, { code: error.code });
        throw error;
      });
      return (outcome) => {
        wrote(write, outcome, announced);
        audit.settle(announced);
      };
    },
  };
}

function toReports(
  call: BundleAssetCall,
  { outcome = 'SUCCESS', hasEffect, details = [] }: AuditAnnotation,
): readonly AuditReport[] {
  return details.map((detail) => ({
    event: 'CHANNEL_WRITE',
    outcome,
    ...describeCaller(call),
    detail,
    hasEffect,
  }));
}

function keyDetail(key: string | undefined): { readonly key?: string } {
  return key === undefined ? {} : { key };
}

function describeCaller({
  caller,
  asset,
}: BundleAssetCall): Pick<AuditReport, 'identity' | 'method' | 'target'> {
  return { identity: caller.identity.name, method: 'bundle', target: asset };
}
