import net from 'node:net';

import { systemClock } from '../../../base/clock.ts';
import { BundleError } from '../bundle-error.ts';
import { FramePipe } from '../message/frame-pipe.ts';
import { MessagePeer } from '../message/message-peer.ts';
import { BundleRuntime } from './bundle-runtime.ts';
import { enterSandbox } from './sandbox.ts';
import { createGatewayLink } from './gateway-link.ts';

// Entry point of the process of one bundle. The arguments are the granted permissions; `link=<socket>` is the link to the gateway,
// by default descriptor 3.
const given = process.argv.slice(2);
const granted = new Set(given);
const linkFile = given.find((argument) => argument.startsWith('link='))?.slice('link='.length);
const exit = process.exit.bind(process);
const stream = linkFile === undefined ? new net.Socket({ fd: 3 }) : net.connect(linkFile);
enterSandbox({
  isNetworkGranted: granted.has('net'),
  areProgramsGranted: granted.has('child-process'),
});

const peer: MessagePeer = new MessagePeer({
  send: (message) => pipe.send(message),
  handler: {
    onCall: (method, params, signal) => runtime.onCall(method, params, signal),
    onNotification: (method, params) => runtime.onNotification(method, params),
  },
  clock: systemClock,
});
const runtime = new BundleRuntime(createGatewayLink(peer));
const pipe: FramePipe = new FramePipe({
  stream,
  onFrame: (frame) => peer.receive(frame),
  onEnd() {
    peer.end(new BundleError('BUNDLE_ENDED', 'the gateway has ended'));
    exit(0);
  },
  clock: systemClock,
});
