// What an app does, by a library that knows nothing of billycan: it prints where the person must go, reads where the
// person was led to, and prints what it got from each step.
import { createInterface } from "node:readline/promises";
import * as oauth from "oauth4webapi";

const [issuer, client_id, secret, redirect_uri, scope] = process.argv.slice(2);
const insecure = { [oauth.allowInsecureRequests]: true }; // a server on this machine
const say = (told) => console.log(JSON.stringify(told));

const as = await oauth.processDiscoveryResponse(
  new URL(issuer),
  await oauth.discoveryRequest(new URL(issuer), { algorithm: "oauth2", ...insecure }),
);
const client = { client_id };
const auth = secret === "none" ? oauth.None() : oauth.ClientSecretBasic(secret);
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const to = new URL(as.authorization_endpoint);
const asked = { client_id, redirect_uri, scope, state, response_type: "code", code_challenge_method: "S256" };
for (const [name, value] of Object.entries(asked)) to.searchParams.set(name, value);
to.searchParams.set("code_challenge", await oauth.calculatePKCECodeChallenge(verifier));
say({ to });

const answered = await createInterface(process.stdin)[Symbol.asyncIterator]().next();
const given = oauth.validateAuthResponse(as, client, new URL(answered.value), state);
const first = await oauth.processAuthorizationCodeResponse(
  as, client, await oauth.authorizationCodeGrantRequest(as, client, auth, given, redirect_uri, verifier, insecure),
);
const next = await oauth.processRefreshTokenResponse(
  as, client, await oauth.refreshTokenGrantRequest(as, client, auth, first.refresh_token, insecure),
);
const me = new URL("/v1/me", issuer);
const called = async () => (await fetch(me, { headers: { Authorization: `Bearer ${next.access_token}` } })).json();
const before = await called();
await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, next.refresh_token, insecure));
say({ scope: first.scope, rotated: first.refresh_token !== next.refresh_token, before, after: await called() });
process.exit(0);
