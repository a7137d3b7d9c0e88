// A push service for tests: the model and the routes of web-push-testing, listening on loopback at a free port. It reports
// its port on its standard output, and ends when its standard input does. The package's folder is the first argument.
"use strict";
const [folder] = process.argv.slice(-1);
const Server = require(folder + "/src/server.js");
const { PushApiModel } = require(folder + "/src/PushApiModel.js");
const model = new PushApiModel();
const service = new Server(model, 0);
service.setRequestHandlers();
const listener = service._app.listen(0, "127.0.0.1", () => {
  const { port } = listener.address();
  model.notifyUrl = `http://127.0.0.1:${port}/notify/`;
  console.log(JSON.stringify({ port }));
});
process.stdin.on("end", () => process.exit(0)).resume();
