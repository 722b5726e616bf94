import { GatewayError } from '../../base/errors.ts';

/** A certificate, key or list cannot be used or created; `detail` names the file, so that an administrator can fix it. */
export class CertificateError extends GatewayError {}
