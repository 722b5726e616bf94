import type { AssetRegistry, ConfiguredConnection } from '../asset/asset-registry.ts';
import { callBeside } from '../asset/beside-connection.ts';
import type { Clock } from '../base/clock.ts';
import { InvalidRequest } from '../base/errors.ts';
import { z } from '../base/schema.ts';
import { isTrusting } from '../channel/trusting-driver.ts';
import type {
  DescribedCertificate,
  PresentedCertificate,
  TrustingDriver,
} from '../channel/trusting-driver.ts';
import { ok } from '../http/answer.ts';
import { jsonBody } from '../interface/endpoint.ts';
import { readQuery } from '../http/query.ts';
import type { RequestContext } from '../http/request-context.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import { refuseForDevice } from './device-refusal.ts';

const PATH = '/services/drivers/v1/:pid/_trust';
const MAXIMUM_BYTES = 4096;

const timeMs = z.number().optional().describe('Milliseconds since the epoch; absent when it cannot be read');
const fingerprint = z
  .string()
  .regex(/^[\dA-Fa-f]{2}(?::?[\dA-Fa-f]{2}){31}$/, 'expected the 64 hexadecimal digits of a SHA-256')
  .transform((text) => text.replaceAll(':', '').toLowerCase());
const description = {
  subject: z.string(),
  issuer: z.string(),
  validFromMs: timeMs,
  validUntilMs: timeMs,
  fingerprint: z.string().describe('SHA-256 of the certificate, in hexadecimal digits'),
  alternativeNames: z.array(z.string()),
};
const describedCertificate = z.strictObject(description).meta({ id: 'DeviceCertificate' });
const problem = z
  .strictObject({
    status: z.string(),
    message: z.string(),
    isCurable: z.boolean().describe('A setting of the driver can remove it'),
  })
  .meta({ id: 'CertificateProblem' });
const presentedCertificate = z
  .strictObject({
    ...description,
    issuers: z.array(describedCertificate).describe('The certificates above it, as the device presents them'),
    trustedAs: z
      .enum(['CERTIFICATE', 'AUTHORITY'])
      .optional()
      .describe('By itself, or because an authority above it is trusted; absent when it is not trusted'),
    isNeeded: z.boolean().describe('Whether the driver checks it'),
    problems: z.array(problem).describe('What is wrong with it, beside that it may not be trusted'),
  })
  .meta({ id: 'PresentedCertificate' });

const trustRequest = z
  .strictObject({ fingerprint: fingerprint.describe('SHA-256 of the certificate that is to be trusted') })
  .meta({ id: 'TrustRequest' });
const removalQuery = z.object({ fingerprint });

/** Creates the endpoints that show the certificate of a device, trust it, and trust it no longer. */
export function createTrustRoutes(registry: AssetRegistry, clock: Clock): readonly Route[] {
  const shared = { path: PATH, access: 'rest.configuration' } as const;
  const get = ({ parameters: { pid = '' } }: Pick<RequestContext, 'parameters'>): Trusting => {
    const configured = registry.getConfigured(pid);
    const driver = configured.connection.find(isTrusting);
    if (driver !== undefined) return { configured, driver };
    const detail = `drivers of the kind "${configured.config.type}" know no certificates of devices`;
    throw new InvalidRequest({ code: 'TRUST_UNSUPPORTED', detail });
  };
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      summary: 'Shows the certificate that a device presents now',
      response: { status: 200, schema: presentedCertificate },
      refusals: [502],
      async handle(context) {
        const { configured, driver } = get(context);
        return ok(toJson(await ask(configured, clock, (signal) => driver.findCertificate(signal))));
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      summary: 'Trusts the certificate that a device presents, if it has this fingerprint',
      request: jsonBody(trustRequest, MAXIMUM_BYTES),
      response: { status: 200, schema: presentedCertificate },
      refusals: [409, 502],
      audit: 'TRUST_CHANGED',
      async handle(context) {
        const { configured, driver } = get(context);
        const { body } = context;
        note(context, 'TRUSTED', body);
        const trusted = await ask(configured, clock, (signal) => driver.trust(body.fingerprint, signal));
        note(context, 'TRUSTED', trusted);
        // Who waits for values need not wait for the pause after the last failure.
        configured.connection.connectNow().catch(() => undefined);
        return ok(toJson(trusted));
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      summary: 'Trusts a certificate no longer, from the next connection on',
      query: removalQuery,
      response: { status: 200, schema: describedCertificate },
      refusals: [409],
      audit: 'TRUST_CHANGED',
      async handle(context) {
        const { driver } = get(context);
        const wanted = readQuery(context.request, removalQuery);
        note(context, 'REMOVED', wanted);
        const removed = await driver.distrust(wanted.fingerprint);
        note(context, 'REMOVED', removed);
        return ok({ ...removed, alternativeNames: [...removed.alternativeNames] });
      },
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
  return refuseForDevice(() => callBeside(configured, clock, work));
}

// The trust belongs to all drivers of the kind, so the event has the certificate and not only the driver.
function note(
  context: Pick<RequestContext, 'auditNote'>,
  operation: 'TRUSTED' | 'REMOVED',
  { fingerprint: digest, subject }: { readonly fingerprint: string; readonly subject?: string },
): void {
  context.auditNote = {
    details: [{ operation, fingerprint: digest, ...(subject === undefined ? {} : { subject }) }],
  };
}

function toJson({ issuers, ...presented }: PresentedCertificate): z.infer<typeof presentedCertificate> {
  const copy = <T extends DescribedCertificate>(each: T) => ({
    ...each,
    alternativeNames: [...each.alternativeNames],
  });
  return { ...copy(presented), issuers: issuers.map(copy), problems: [...presented.problems] };
}
