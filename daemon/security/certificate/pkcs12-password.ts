import { CertificateError } from './certificate-error.ts';

// Non-ASCII characters are encoded differently for the integrity check and for the keys (RFC 7292, appendix B.1;
// RFC 8018), and programs differ in both.
const PASSWORD = /^[ -~]+$/;

/**
 * Checks the password of a PKCS #12 file.
 *
 * @throws {CertificateError} `PASSWORD_UNSUITABLE` if it is empty or has characters other than printable ASCII
 */
export function checkPkcs12Password(password: string): void {
  if (PASSWORD.test(password)) return;
  const detail = 'the password of a PKCS #12 file must consist of one or more printable ASCII characters';
  throw new CertificateError({ code: 'PASSWORD_UNSUITABLE', detail });
}
