// With these a server reports that it checked the request and carried out none of it: it could not read it, knows nothing
// of the channel or the session, or denies it to the user (OPC 10000-4, 7.38.2, and the services themselves).
const NOTHING_DONE: ReadonlySet<string> = new Set([
  'BadDecodingError',
  'BadIdentityTokenInvalid',
  'BadIdentityTokenRejected',
  'BadInvalidTimestamp',
  'BadLicenseExpired',
  'BadLicenseLimitsExceeded',
  'BadLicenseNotAvailable',
  'BadNothingToDo',
  'BadRequestHeaderInvalid',
  'BadRequestTooLarge',
  'BadRequestTypeInvalid',
  'BadSecureChannelIdInvalid',
  'BadSecureChannelTokenUnknown',
  'BadSecurityChecksFailed',
  'BadSecurityModeInsufficient',
  'BadServiceUnsupported',
  'BadSessionIdInvalid',
  'BadSessionNotActivated',
  'BadSubscriptionIdInvalid',
  'BadTcpMessageTooLarge',
  'BadTcpServerTooBusy',
  'BadTooManyOperations',
  'BadTooManyPublishRequests',
  'BadTooManySubscriptions',
  'BadUserAccessDenied',
]);

/**
 * Whether a server that answers a request with a bad StatusCode has certainly carried out nothing of it. With any other,
 * like `BadTimeout` or `BadServerHalted`, something may have been done before the server gave up.
 *
 * @param status name of the StatusCode
 */
export function meansNothingDone(status: string): boolean {
  return NOTHING_DONE.has(status);
}
