import { CertificateError } from './certificate-error.ts';

// Characters beyond ASCII are encoded in one way for the check of integrity and in another for the keys (RFC 7292,
// appendix B.1; RFC 8018), and programs differ in both.
const PASSWORD = /^[ -~]+$/;

/**
 * Checks the password of a PKCS #12 file.
 *
 * @throws {CertificateError} `PASSWORD_UNSUITABLE` for one that is empty or has characters beyond ASCII
 */
export function checkPkcs12Password(password: string): void {
  if (PASSWORD.test(password)) return;
  const detail = 'the password of a PKCS #12 file must consist of one or more printable ASCII characters';
  throw new CertificateError({ code: 'PASSWORD_UNSUITABLE', detail });
}
