import { ok } from '../http/answer.ts';
import { implement } from '../http/implement.ts';
import type { Route } from '../http/route.ts';
import type { Principal } from '../../security/identity/identity.ts';
import { checkStatus, listCertificates } from '../../interface/status.ts';
import { callerOf } from './caller.ts';
import { checkGateway } from './gateway-checks.ts';
import type { CheckedGateway, TrustedCertificate } from './gateway-checks.ts';
import { readHealth, readReadiness } from '../../interface/health.ts';
import type { Readiness } from '../../interface/health.ts';

interface StatusRouteParts {
  /** Gathers the state of the gateway, and of the assets that the caller may read; sends no requests to devices. */
  readonly gather: (caller: Principal) => Promise<CheckedGateway>;
  readonly certificates: () => readonly TrustedCertificate[];
  readonly revocationLists: () => number;
}

/** Creates the endpoints that show how the gateway itself is. */
export function createStatusRoutes(parts: StatusRouteParts): readonly Route[] {
  return [
    implement(checkStatus, async (call) => ok({ checks: checkGateway(await parts.gather(callerOf(call))) })),
    implement(listCertificates, () => {
      const certificates = parts.certificates().map(({ validFromMs, expiresAtMs, ...certificate }) => ({
        role: certificate.role,
        subject: certificate.subject,
        fingerprint: certificate.fingerprint,
        validFrom: validFromMs,
        validUntil: expiresAtMs,
        refusal: certificate.refusal,
      }));
      return ok({ certificates, revocationLists: parts.revocationLists() });
    }),
  ];
}

/** Creates the endpoints for load balancers and monitors; they disclose nothing else. */
export function createHealthRoutes(readiness: () => Readiness): readonly Route[] {
  return [
    implement(readHealth, () => ok({ status: 'UP' })),
    implement(readReadiness, () => {
      const status = readiness();
      return { ...ok({ status }), status: status === 'UP' ? 200 : 503 };
    }),
  ];
}
