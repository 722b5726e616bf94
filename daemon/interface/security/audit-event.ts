/** Names of audit events; the meaning of a stored name never changes. `npm run tables` writes the comments into `docs/reference/audit.md`. */
export const AUDIT_EVENTS = [
  /**
   * A session was opened by password or certificate, or the login failed, even if it could not be parsed.
   * `detail.secondFactor`: what was given besides a password. A failure with the code SECOND_FACTOR_NEEDED is the first
   * half of a login: the password was correct, and the second-factor code is missing.
   */
  'LOGIN',
  /** A client ended its session. */
  'LOGOUT',
  /**
   * Sessions were ended from the list of sessions, or the request was rejected. `detail`: `userName` (the owner) and number of
   * `sessions`.
   */
  'SESSION_ENDED',
  /** A password was changed, or the change was rejected. */
  'PASSWORD_CHANGE',
  /**
   * A second factor was set up, confirmed or removed, or its recovery codes were replaced, or the request was rejected.
   * `target` is the endpoint.
   */
  'SECOND_FACTOR_CHANGE',
  /**
   * Any other request was rejected with 401, 403 or 429, or with 404 for lack of a grant (code ASSET_NOT_GRANTED). Also a
   * bundle without a grant on an asset.
   */
  'ACCESS_REFUSED',
  /**
   * The local socket was used, and no other event shows it. One event for each command of `penstock`. `detail`: `command`,
   * number of `requests`, `otherTargets`.
   */
  'LOCAL_ACCESS',
  /** A pair of tokens was issued, or issuing failed. */
  'TOKEN_ISSUED',
  /** A refresh token was exchanged or rejected. */
  'TOKEN_REFRESHED',
  /** A used refresh token was sent again; the log has it as a warning. `detail`: its `iss` and `jti`. */
  'TOKEN_REPLAYED',
  /** Accepted by queries, never recorded: a rejected token is recorded like any other rejection. */
  'TOKEN_REFUSED',
  /** All tokens of an identity were revoked, or the request was rejected. `detail`: `userName`. */
  'TOKENS_REVOKED',
  /**
   * The key that signs tokens was replaced, or the request was rejected. `detail`: `service`, `kid` of the new key, and
   * `revoke`: true if the tokens of the previous key were revoked.
   */
  'SIGNING_KEY_ROTATED',
  /**
   * A client or a bundle wrote values. `detail`: channel, value and outcome of each; up to 16 per event, the first 1024 of a
   * request.
   */
  'CHANNEL_WRITE',
  /**
   * A [trial](../explanation/control.md#trials) of a write, which sent nothing: `SUCCESS` if all values would have been sent,
   * otherwise `FAILURE`. `detail` as for a write.
   */
  'CHANNEL_WRITE_TRIED',
  /** An identity was created over REST, by provisioning or for a bundle, or the request was rejected. */
  'IDENTITY_CREATED',
  /** An identity was changed, or the request was rejected. */
  'IDENTITY_CHANGED',
  /** An identity was deleted, also by a prune, or the request was rejected. */
  'IDENTITY_REMOVED',
  /**
   * The permissions or grants of an identity were changed, or a permission was defined or
   * deleted, or the request was rejected. `detail`: also the previous grants, or the `permission` and `isDefined`.
   */
  'PERMISSIONS_CHANGED',
  /** The configuration was changed, confirmed or reverted, or the request was rejected. Dry runs are not recorded. */
  'CONFIGURATION_CHANGED',
  /** A client scanned for devices, or the request was rejected. */
  'DEVICES_SCANNED',
  /**
   * Other certificates or revocation lists took effect. `detail`: SHA-256 fingerprints of the server certificate and of the
   * client authorities.
   */
  'CERTIFICATES_CHANGED',
  /**
   * `penstock certificate` or `penstock setup` created an authority or issued a certificate on this machine. `detail`: `name`,
   * `purpose`, `serialNumber`, `expiresAtMs`.
   */
  'CERTIFICATE_ISSUED',
  /** A certificate was revoked on this machine. `detail` as for an issued one. */
  'CERTIFICATE_REVOKED',
  /** A client had a certificate signing request made with the server key. `detail`: `alias`, `subject`. */
  'CERTIFICATE_REQUESTED',
  /**
   * The certificate of a device was trusted, or its trust removed, or the request was rejected. `detail`: `operation`, SHA-256
   * `fingerprint`, `subject`.
   */
  'TRUST_CHANGED',
  /** The installation of a package succeeded or failed. `detail`: operation, version, and permissions of each bundle. */
  'PACKAGE_INSTALLED',
  /** The removal of a package succeeded or failed. `detail` as for an installation. */
  'PACKAGE_UNINSTALLED',
  /** A client restarted, started or stopped a bundle, or the request was rejected. `detail`: `bundle` and `action` of the latter. */
  'BUNDLE_RESTARTED',
  /** An authentication provider of a bundle was enabled. */
  'PROVIDER_ENABLED',
  /** An authentication provider was disabled because its bundle stopped or exited. */
  'PROVIDER_DISABLED',
  /**
   * An authentication provider named an identity that its bundle [must not
   * name](../dev/authentication-providers.md#what-a-bundle-may-see-and-name). `detail`: the permissions of that identity.
   */
  'PROVIDER_REFUSED',
  /** Rejections or failures of one source were counted, not recorded. `detail`: their `event`, `count`, `fromMs` and `toMs`. */
  'EVENTS_SUPPRESSED',
  /**
   * Events could not be stored because the disk failed; the log has them, and this event as a warning. `detail`: their
   * `count`.
   */
  'EVENTS_LOST',
  /**
   * The recorded events are not those that the gateway signed, see [breaks](#breaks); the log has it as an error. `detail`:
   * the `fault`.
   */
  'AUDIT_BROKEN',
] as const;
export type AuditEventName = (typeof AUDIT_EVENTS)[number];

export const AUDIT_OUTCOMES = ['SUCCESS', 'FAILURE'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
