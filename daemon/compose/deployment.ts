import path from 'node:path';

import type { AuditDetail, AuditReport } from '../security/audit/audit-event.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { RandomSource } from '../base/random.ts';
import type { Store } from '../base/store/store.ts';
import { readVersion } from '../base/version.ts';
import type { BundleSettings } from '../software/bridge/bundle-settings.ts';
import type { DriverRegistry } from '../software/bridge/driver-registry.ts';
import type { BundleControl } from '../software/bundle/bundle.ts';
import { DeploymentAdmin } from '../software/deployment/deployment-admin.ts';
import { Marketplace } from '../software/deployment/source/marketplace.ts';
import type { Operation } from '../software/deployment/operation/operation.ts';
import { toShownUrl } from '../software/deployment/source/package-url.ts';
import type { EventLog } from '../server/event/event-log.ts';
import type { DeploymentEvent } from '../server/event/gateway-event.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import type { InstalledBundles } from './installed-bundles.ts';
import type { StaticSettings } from './static-settings.ts';

interface DeploymentOptions {
  readonly store: Store;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly events: Pick<EventLog, 'publish'>;
  readonly control: BundleControl;
  readonly kinds: Pick<DriverRegistry, 'forgetRemoved'>;
  readonly bundleSettings: Pick<BundleSettings, 'forgetRemoved'>;
  readonly installedBundles: InstalledBundles;
  readonly settings: Pick<StaticSettings, 'current'>;
  readonly dataDirectory: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: RandomSource;
}

export type Deployment = ReturnType<typeof composeDeployment>;

/** Constructs the installation of packages; each finished operation is recorded in the audit log and published as an event. */
export function composeDeployment(options: DeploymentOptions) {
  const { store, audit, events, control, kinds, bundleSettings, installedBundles, dataDirectory } = options;
  const { logger, clock, random } = options;
  const settings = (): GatewaySettings['deployment'] => options.settings.current.deployment;
  const admin = new DeploymentAdmin({
    directory: path.join(dataDirectory, 'packages'),
    store,
    control,
    settings,
    onFinished(operation) {
      audit.record(toAuditReport(operation));
      events.publish(toEvent(operation));
      bundleSettings.forgetRemoved((name) => installedBundles.has(name));
      kinds.forgetRemoved().catch((error: unknown) => {
        // The next operation retries.
        logger.warn('driver.typesNotRemoved', { reason: messageOf(error) });
      });
    },
    clock,
    logger,
    random,
  });
  installedBundles.follow(admin);
  const marketplace = new Marketplace({
    marketplaceUrl: () => settings().marketplaceUrl,
    version: readVersion(),
    clock,
  });
  return { admin, marketplace, maximumPackageBytes: () => settings().maximumPackageBytes };
}

function toAuditReport(operation: Operation): AuditReport {
  const { name, version, url, errorCode, requester } = operation;
  const { identity, method, address, requestId } = requester;
  return {
    event: operation.operation === 'INSTALL' ? 'PACKAGE_INSTALLED' : 'PACKAGE_UNINSTALLED',
    outcome: operation.state === 'COMPLETED' ? 'SUCCESS' : 'FAILURE',
    identity,
    method: method as AuditReport['method'],
    address,
    requestId,
    target: name,
    detail: {
      operationId: operation.id,
      ...(version === undefined ? {} : { version }),
      ...(url === undefined ? {} : { url: toShownUrl(url) }),
      ...(errorCode === undefined ? {} : { errorCode }),
      ...toPermissionDetail(operation),
    },
  };
}

// Leaves space for the other values of the detail; the log and the operation name the permissions of every bundle.
const AUDITED_BUNDLES = 16;

/** Names the permissions of each bundle that a package installs. */
function toPermissionDetail({ grants = [] }: Operation): AuditDetail {
  const entries = grants.slice(0, AUDITED_BUNDLES).map(({ bundle, permissions, identities, memoryMib }) => {
    const asked = [
      ...(identities === undefined ? [] : [`identities=${identities}`]),
      ...(memoryMib === undefined ? [] : [`memory=${memoryMib} MiB`]),
      ...permissions,
    ];
    return [`permissions ${bundle}`, asked.join(', ')] as const;
  });
  const more = grants.length - entries.length;
  return { ...Object.fromEntries(entries), ...(more > 0 ? { bundlesNotShown: more } : {}) };
}

function toEvent({ operation, state, name, version, url, message, errorCode }: Operation): DeploymentEvent {
  return {
    type: 'DEPLOYMENT',
    operation: operation === 'INSTALL' ? 'INSTALLED' : 'UNINSTALLED',
    name,
    version,
    url: url === undefined ? undefined : toShownUrl(url),
    successful: state === 'COMPLETED',
    message,
    errorCode,
  };
}
