import type { AssetRegistry, ConfiguredConnection } from '../../../plant/asset/asset-registry.ts';
import { runWithCallDeadline } from '../../../plant/asset/connection/call-deadline.ts';
import type { Clock } from '../../../base/clock.ts';
import { InvalidRequest } from '../../../base/errors.ts';
import { isTrusting } from '../../../channel/trusting-driver.ts';
import type { PresentedCertificate, TrustingDriver } from '../../../channel/trusting-driver.ts';
import { ok } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { Route } from '../../http/route.ts';
import {
  distrustDeviceCertificate,
  readDeviceCertificate,
  trustDeviceCertificate,
} from '../../../interface/plant/device-trust.ts';
import { refuseForDevice } from './device-refusal.ts';

/** Creates the endpoints that show the certificate of a device, trust it, and trust it no longer. */
export function createTrustRoutes(registry: AssetRegistry, clock: Clock): readonly Route[] {
  const get = ({ pid }: { readonly pid: string }): Trusting => {
    const configured = registry.getConfigured(pid);
    const driver = configured.connection.find(isTrusting);
    if (driver !== undefined) return { configured, driver };
    const detail = `driver type "${configured.config.type}" does not support device certificates`;
    throw new InvalidRequest({ code: 'TRUST_UNSUPPORTED', detail });
  };
  return [
    implement(readDeviceCertificate, async ({ parameters }) => {
      const { configured, driver } = get(parameters);
      return ok(await ask(configured, clock, (signal) => driver.findCertificate(signal)));
    }),
    implement(trustDeviceCertificate, async (call) => {
      const { configured, driver } = get(call.parameters);
      const { body } = call;
      note(call, 'TRUSTED', body);
      const trusted = await ask(configured, clock, (signal) => driver.trust(body.fingerprint, signal));
      note(call, 'TRUSTED', trusted);
      // Who waits for values need not wait for the pause after the last failure.
      configured.connection.connectNow().catch(() => undefined);
      return ok(trusted);
    }),
    implement(distrustDeviceCertificate, async (call) => {
      const { driver } = get(call.parameters);
      note(call, 'REMOVED', call.query);
      const removed = await driver.distrust(call.query.fingerprint);
      note(call, 'REMOVED', removed);
      return ok(removed);
    }),
  ];
}

interface Trusting {
  readonly configured: ConfiguredConnection;
  readonly driver: TrustingDriver;
}

function ask(
  configured: ConfiguredConnection,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<PresentedCertificate>,
): Promise<PresentedCertificate> {
  return refuseForDevice(() => runWithCallDeadline(configured, clock, work));
}

// The trust belongs to all drivers of the kind, so the event has the certificate and not only the driver.
function note(
  context: Pick<RequestContext, 'auditAnnotation'>,
  operation: 'TRUSTED' | 'REMOVED',
  { fingerprint: digest, subject }: { readonly fingerprint: string; readonly subject?: string },
): void {
  context.auditAnnotation = {
    details: [{ operation, fingerprint: digest, ...(subject === undefined ? {} : { subject }) }],
  };
}
