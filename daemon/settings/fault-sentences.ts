/** English sentences of errors in sections of the managed configuration, by their code. */
export const SETTINGS_FAULTS = {
  EXPECTED_SERVICE_NAME: 'expected letters, digits, dots, hyphens and underscores, at most 64',
  EXPECTED_BUNDLE_NAME: 'expected the symbolic name of a bundle',
  EXPECTED_WITH: 'expected {key} as well',
  EXPECTED_SIGNER: 'expected issuingService, file or pem',
  ISSUING_SERVICE_UNKNOWN:
    'unknown issuing service {service}; expected the pid of one of tokenIssuingServices',
  RETENTION_TOO_SHORT: 'expected at least {bound}, the clockSkewToleranceSeconds of {service}',
  INTERVAL_OR_CHANGE_MISSING: 'either intervalMs or onChange: true is required',
  NOT_WITH_INTERVAL: 'not allowed together with intervalMs',
  ON_CHANGE_MISSING: 'needs onChange: true',
  EXPECTED_VISIBLE_LINES: 'expected lines of visible characters',
} as const;
