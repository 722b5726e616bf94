import { hostname } from 'node:os';
import path from 'node:path';

import type { AuditReport } from '../security/audit/audit-event.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { AssetAccess } from '../plant/access/asset-access.ts';
import { BundleBridge } from '../software/bridge/bundle-bridge.ts';
import type { BundleLauncher } from '../software/bundle/process/bundle-launcher.ts';
import { DEFAULT_LIMITS } from '../software/bundle/bundle-limits.ts';
import type { BundleLimits } from '../software/bundle/bundle-limits.ts';
import { BundleIdentities } from '../software/bridge/bundle-identities.ts';
import type { BundleSettings } from '../software/bridge/bundle-settings.ts';
import { BundleJournals, cursorsOf } from '../software/bridge/journal/bundle-journals.ts';
import type { RefusedIdentity } from '../software/bridge/bridged-provider.ts';
import { ProviderRegistry } from '../software/bridge/provider-registry.ts';
import { BundleSupervisor } from '../software/bundle/bundle-supervisor.ts';
import { ChildLauncher } from '../software/bundle/process/child-launcher.ts';
import { probeLaunchFeatures } from '../software/bundle/process/launch-command.ts';
import type { StorageLimits } from '../software/bundle/storage/storage-decision.ts';
import type { BundleStatus } from '../software/bundle/supervised-bundle.ts';
import { UnitLauncher } from '../software/bundle/process/unit-launcher.ts';
import type { IdempotencyStore } from '../security/idempotency/idempotency-store.ts';
import type { EventLog } from '../server/event/event-log.ts';
import type { BundleStateEvent } from '../server/event/gateway-event.ts';
import type { Authenticator } from '../security/identity/authenticator.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import { auditBundleCalls } from './bundle-audit.ts';
import type { Drivers } from './drivers.ts';
import type { Recording } from './recording/recording.ts';
import { recordCreatedIdentity } from './provisioned-identities.ts';
import type { StaticSettings } from './static-settings.ts';
import type { Supervision } from './supervision.ts';

interface BundleOptions {
  readonly drivers: Drivers;
  readonly assetAccess: AssetAccess;
  readonly authenticator: Authenticator;
  readonly identities: IdentityStore;
  readonly recording: Pick<Recording, 'open' | 'removeConsumers'>;
  readonly bundleSettings: BundleSettings;
  readonly requestKeys: IdempotencyStore;
  readonly audit: Pick<AuditLog, 'announce' | 'record' | 'settle'>;
  readonly settings: Pick<StaticSettings, 'current' | 'writeDeadlineMs'>;
  readonly events: Pick<EventLog, 'publish'>;
  readonly supervision: Supervision | undefined;
  /** Launcher of bundles; default: units if the package has installed them. */
  readonly launcher: BundleLauncher | undefined;
  /** Absent: as documented. */
  readonly limits: BundleLimits | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

export type Bundles = ReturnType<typeof composeBundles>;

/** Constructs the supervisor of bundles, and their bridge to drivers, assets and identities. */
export function composeBundles(options: BundleOptions) {
  const { drivers, assetAccess: access, identities, recording, bundleSettings, requestKeys } = options;
  const { audit, events, logger, clock } = options;
  const authenticator = recordProviders(options);
  const onRefused = (refused: RefusedIdentity): void => audit.record(toAuditReport(refused));
  const providers = new ProviderRegistry({ authenticator, identities, onRefused, logger, clock });
  const bundleIdentities = new BundleIdentities({
    identities,
    onCreated: (identity) => recordCreatedIdentity(audit, identity, 'bundle'),
  });
  const bridge = new BundleBridge({
    ...drivers,
    access,
    identities: bundleIdentities,
    log: auditBundleCalls(audit, clock),
    keys: requestKeys,
    providers,
    journals: new BundleJournals({
      findJournal: () => recording.open,
      access,
      callerOf: (session) => bundleIdentities.callerOf(session),
      logger,
      clock,
    }),
    settings: bundleSettings,
    gatewayName: hostname(),
    removeCursors: (bundle) => recording.removeConsumers(cursorsOf(bundle)),
    writeDeadlineMs: () => options.settings.writeDeadlineMs,
    clock,
  });
  const supervisor = new BundleSupervisor({
    host: bridge,
    launcher: options.launcher ?? composeLauncher(options),
    limits: options.limits,
    storageLimits: () => toStorageLimits(options.settings),
    onStateChange: (status) => {
      // Before its first call, so that an administrator can find and restrict it.
      if (status.state === 'STARTING') ensureIdentity(bundleIdentities, status, logger);
      events.publish(toEvent(status));
    },
    logger,
    clock,
  });
  bundleSettings.onApplied(() => {
    bridge.deliverSettings();
    supervisor.revise();
  });
  return { supervisor, providers };
}

function ensureIdentity(identities: BundleIdentities, { bundle }: BundleStatus, logger: Logger): void {
  try {
    identities.ensure(bundle);
  } catch (error) {
    // The bundle runs without rights; its next call retries.
    logger.error('bundle.identityNotCreated', { bundle: bundle.id.name, reason: messageOf(error) });
  }
}

/** Constructs the launcher of bundles: separate units if the package has installed them, otherwise child processes. */
function composeLauncher({
  supervision,
  logger,
  clock,
}: Pick<BundleOptions, 'supervision' | 'logger' | 'clock'>): BundleLauncher {
  const { runtimeDirectory, launcherSocket } = supervision ?? {};
  if (runtimeDirectory === undefined || launcherSocket === undefined) {
    return new ChildLauncher({
      heapMib: DEFAULT_LIMITS.heapMib,
      probe: probeLaunchFeatures,
      logger,
      clock,
    });
  }
  return new UnitLauncher({ launcherSocket, linkDirectory: path.join(runtimeDirectory, 'bundles'), clock });
}

/** Records in the audit log when providers of bundles are added and removed. */
function recordProviders({
  authenticator,
  audit,
}: Pick<BundleOptions, 'authenticator' | 'audit'>): Pick<Authenticator, 'add'> {
  return {
    add(provider) {
      const record = (event: 'PROVIDER_ENABLED' | 'PROVIDER_DISABLED'): void =>
        audit.record({
          event,
          outcome: 'SUCCESS',
          target: provider.name,
          detail: { priority: provider.priority },
        });
      const remove = authenticator.add(provider);
      record('PROVIDER_ENABLED');
      return () => {
        remove();
        record('PROVIDER_DISABLED');
      };
    },
  };
}

function toStorageLimits({ current: { deployment } }: BundleOptions['settings']): StorageLimits {
  return { bytes: deployment.maximumBundleDataBytes, entries: deployment.maximumBundleDataEntries };
}

function toAuditReport({ provider, identity, remoteAddress }: RefusedIdentity): AuditReport {
  return {
    event: 'PROVIDER_REFUSED',
    outcome: 'FAILURE',
    identity: identity.name,
    method: 'custom',
    address: remoteAddress,
    target: provider,
    detail: { permissions: identity.permissions.join(', ') },
  };
}

function toEvent({ bundle: { id }, state, cause, causeCode, restartAtMs }: BundleStatus): BundleStateEvent {
  const { name, version } = id;
  return { type: 'BUNDLE_STATE', bundle: name, version, state, cause, causeCode, restartAt: restartAtMs };
}
