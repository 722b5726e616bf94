import { GatewayError } from '../../base/errors.ts';

/** A certificate, key or list cannot be used or made; `detail` names the file, so that its owner can put it right. */
export class CertificateError extends GatewayError {}
