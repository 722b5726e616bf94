import path from 'node:path';

import type { AuditReport } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Store } from '../base/store.ts';
import { readVersion } from '../base/version.ts';
import type { BundleControl } from '../bundle/bundle.ts';
import { DeploymentAdmin } from '../deployment/deployment-admin.ts';
import { Marketplace } from '../deployment/marketplace.ts';
import type { Operation } from '../deployment/operation.ts';
import { toShownUrl } from '../deployment/package-url.ts';
import type { EventLog } from '../event/event-log.ts';
import type { DeploymentEvent } from '../event/gateway-event.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';

export interface DeploymentGround {
  readonly store: Store;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly events: Pick<EventLog, 'publish'>;
  readonly control: BundleControl;
  readonly settings: () => GatewaySettings['deployment'];
  readonly dataDirectory: string;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Constructs what installs packages, and tells those who look after the gateway what became of each. */
export function composeDeployment(ground: DeploymentGround) {
  const { store, audit, events, control, settings, dataDirectory, logger, clock } = ground;
  const admin = new DeploymentAdmin({
    directory: path.join(dataDirectory, 'packages'),
    store,
    control,
    settings,
    onFinished(operation) {
      audit.record(toAuditReport(operation));
      events.publish(toEvent(operation));
    },
    clock,
    logger,
  });
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
    },
  };
}

function toEvent({ operation, state, name, version, url, message }: Operation): DeploymentEvent {
  return {
    type: 'DEPLOYMENT',
    operation: operation === 'INSTALL' ? 'INSTALLED' : 'UNINSTALLED',
    name,
    version,
    url: url === undefined ? undefined : toShownUrl(url),
    successful: state === 'COMPLETED',
    message,
  };
}
