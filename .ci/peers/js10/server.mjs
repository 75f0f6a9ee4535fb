// Peer "js10": an echo agent on @a2a-js/sdk 1.3.0, A2A 1.0 over JSON-RPC,
// HTTP+JSON and gRPC.
//
//   node server.mjs --http PORT --grpc PORT [--host ADDR] [--certs DIR]
import fs from 'node:fs';
import https from 'node:https';
import { parseArgs } from 'node:util';
import express from 'express';
import grpc from '@grpc/grpc-js';
import { Role, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent, DefaultExecutionEventBusManager, DefaultPushNotificationSender, DefaultRequestHandler,
  InMemoryPushNotificationStore, InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';

const { values: flags } = parseArgs({ options: {
  http: { type: 'string' }, grpc: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' }, certs: { type: 'string' },
} });
const base = `${flags.certs ? 'https' : 'http'}://${flags.host}:${flags.http}`;
const offer = (protocolBinding, url) => ({ url, protocolBinding, tenant: '', protocolVersion: '1.0' });
const card = {
  name: 'js10 echo', description: 'echo agent (@a2a-js/sdk 1.3.0)', version: '1.0.0', provider: undefined,
  supportedInterfaces: [
    offer('JSONRPC', `${base}/a2a/jsonrpc`),
    offer('HTTP+JSON', `${base}/a2a/rest`),
    offer('GRPC', `${flags.host}:${flags.grpc}`),
  ],
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true, extensions: [] },
  securitySchemes: {}, securityRequirements: [], signatures: [],
  defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'echoes', tags: ['test'], examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
};

const sleep = ms => new Promise(done => setTimeout(done, ms));
const part = text => ({ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' });
const cancelled = new Set();

// Echo answers every text; "slow" works until it is cancelled, "message:" is
// answered without a task, "fail" and "input" end as they say.
class Echo {
  async execute(ask, bus) {
    const { taskId, contextId } = ask;
    const text = ask.userMessage.parts.map(p => (p.content?.$case === 'text' ? p.content.value : '')).join('');
    const message = (words, task) => ({
      messageId: crypto.randomUUID(), contextId, taskId: task, role: Role.ROLE_AGENT, parts: [part(words)],
      metadata: undefined, extensions: [], referenceTaskIds: [],
    });
    const status = (state, words) => ({ state, message: words ? message(words, taskId) : undefined, timestamp: new Date().toISOString() });
    const tell = (state, words) => bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, words), metadata: undefined }));
    if (text.startsWith('message:')) {
      bus.publish(AgentEvent.message(message(`echo: ${text}`, '')));
      return bus.finished();
    }
    if (!ask.task) {
      bus.publish(AgentEvent.task({ id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED), artifacts: [], history: [ask.userMessage], metadata: undefined }));
    }
    tell(TaskState.TASK_STATE_WORKING, 'working');
    if (text.startsWith('slow')) {
      for (let i = 0; i < 300; i++) {
        await sleep(20);
        if (cancelled.has(taskId)) {
          tell(TaskState.TASK_STATE_CANCELED);
          return bus.finished();
        }
      }
    }
    if (text.startsWith('input')) {
      tell(TaskState.TASK_STATE_INPUT_REQUIRED, 'which one?');
      return bus.finished();
    }
    if (text.startsWith('fail')) {
      tell(TaskState.TASK_STATE_FAILED, 'failed on purpose');
      return bus.finished();
    }
    await sleep(20);
    bus.publish(AgentEvent.artifactUpdate({
      taskId, contextId, append: false, lastChunk: true, metadata: undefined,
      artifact: { artifactId: 'echo', name: 'echo', description: '', parts: [part(`echo: ${text}`)], metadata: undefined, extensions: [] },
    }));
    tell(TaskState.TASK_STATE_COMPLETED);
    bus.finished();
  }

  cancelTask = async id => { cancelled.add(id); };
}

const hooks = new InMemoryPushNotificationStore();
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Echo(), new DefaultExecutionEventBusManager(),
  hooks, new DefaultPushNotificationSender(hooks), { ...card, name: 'js10 echo (extended)' });
const userBuilder = UserBuilder.noAuthentication;
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/a2a/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder }));
app.use('/a2a/rest', restHandler({ requestHandler, userBuilder }));

const pem = name => fs.readFileSync(`${flags.certs}/${name}.pem`);
const http = flags.certs ? https.createServer({ key: pem('key'), cert: pem('cert') }, app) : app;
http.listen(+flags.http, flags.host);

const rpc = new grpc.Server();
rpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
const credentials = flags.certs
  ? grpc.ServerCredentials.createSsl(null, [{ private_key: pem('key'), cert_chain: pem('cert') }])
  : grpc.ServerCredentials.createInsecure();
rpc.bindAsync(`${flags.host}:${flags.grpc}`, credentials, err => { if (err) throw err; });
