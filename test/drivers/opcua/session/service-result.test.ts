import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusCodes } from 'node-opcua-client';
import { meansNothingDone } from '../../../../drivers/opcua/opcua-errors.ts';

const refusals = [
  'BadUserAccessDenied',
  'BadTooManyOperations',
  'BadSessionIdInvalid',
  'BadServiceUnsupported',
  'BadDecodingError',
  'BadRequestTooLarge',
];
const open = [
  'BadTimeout',
  'BadCommunicationError',
  'BadConnectionClosed',
  'BadServerHalted',
  'BadShutdown',
  'BadUnexpectedError',
  'BadInternalError',
  'BadOutOfMemory',
  'BadResponseTooLarge',
  'BadOperationAbandoned',
  'BadRequestCancelledByClient',
  'BadSessionClosed',
  'BadSecureChannelClosed',
  'BadUnknownResponse',
];

test('meansNothingDone holds for statuses with which a server refuses a request', () => {
  for (const status of refusals) assert.equal(meansNothingDone(status), true, status);
});

test('meansNothingDone does not hold for statuses that leave open how far the server came', () => {
  for (const status of [...open, '0x80FF0000']) assert.equal(meansNothingDone(status), false, status);
});

test('meansNothingDone holds for few of the StatusCodes that there are', () => {
  const names = new Set<string>(Object.keys(StatusCodes));
  for (const status of [...refusals, ...open]) assert.ok(names.has(status), status);
  assert.ok([...names].filter(meansNothingDone).length < 30);
});
