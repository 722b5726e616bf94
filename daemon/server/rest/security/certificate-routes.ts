import { noContent } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { reportCertificates } from '../../../interface/security/certificates.ts';

/** Creates the endpoint by which the authority on the machine, which is no part of the daemon, has its work recorded. */
export function createCertificateRoutes(): readonly Route[] {
  return [
    implement(reportCertificates, (call) => {
      const { operation, certificates } = call.body;
      call.auditAnnotation = {
        event: operation === 'ISSUED' ? 'CERTIFICATE_ISSUED' : 'CERTIFICATE_REVOKED',
        details: certificates,
      };
      return noContent();
    }),
  ];
}
