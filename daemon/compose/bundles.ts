import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { AssetRegistry } from '../asset/asset-registry.ts';
import { BundleBridge } from '../bridge/bundle-bridge.ts';
import { BundleSupervisor } from '../bundle/bundle-supervisor.ts';
import type { BundleStatus } from '../bundle/supervised-bundle.ts';
import type { EventLog } from '../event/event-log.ts';
import type { BundleStateEvent } from '../event/gateway-event.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Drivers } from './drivers.ts';

interface BundleOptions {
  readonly drivers: Drivers;
  readonly registry: AssetRegistry;
  readonly authenticator: Authenticator;
  readonly identities: IdentityStore;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly events: Pick<EventLog, 'publish'>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Constructs the supervisor of bundles, and the bridge over which bundles reach drivers, assets and identities. */
export function composeBundles(options: BundleOptions): BundleSupervisor {
  const { drivers, registry, identities, events, logger, clock } = options;
  const authenticator = recordProviders(options);
  return new BundleSupervisor({
    host: new BundleBridge({ ...drivers, registry, authenticator, identities }),
    onStateChange: (status) => events.publish(toEvent(status)),
    logger,
    clock,
  });
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

function toEvent({ bundle: { id }, state, cause, restartAtMs }: BundleStatus): BundleStateEvent {
  const { name, version } = id;
  return { type: 'BUNDLE_STATE', bundle: name, version, state, cause, restartAt: restartAtMs };
}
