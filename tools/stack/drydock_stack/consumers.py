"""The consumers of the spine: they claim jobs from the server over HTTP and act on hosts.

One of each does; a second one of each may stand beside it, and takes over at once what the first leaves."""

from drydock_stack import access, java, python_environment
from drydock_stack.server import Server
from drydock_stack.service import Service, http_json


class Consumer(Service):
    """A consumer is ready when it offers its metrics: all it needs was found by then."""

    principal: str

    def environment(self) -> dict[str, str]:
        return {
            "DRYDOCK_STATE_DIR": str(self.state),
            "DRYDOCK_URL": Server(self.instance).url,
            "DRYDOCK_TOKEN_FILE": str(access.token_file(self.state, self.principal)),
            "DRYDOCK_SSH_CONFIG": str(self.state / "lab" / "ssh.json"),
            "DRYDOCK_METRICS_ADDRESS": f"127.0.0.1:{self.port(*self.ports)}",
        }

    def is_ready(self) -> bool:
        status, _ = http_json(f"http://127.0.0.1:{self.port(*self.ports)}/metrics")
        return status == 200


class Adapter(Consumer):
    """The adapter of the static scheduler: takes a host's instances out of service and back."""

    name = "adapter"
    principal = "static-adapter"
    ports = ("adapterMetrics",)

    def build(self) -> None:
        java.build(self.instance.root)

    def command(self) -> list[str]:
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        arguments = ["--config", str(self.state / "lab" / "static.json")]
        return java.command_line(self.instance.root, "adapter", options, arguments)


class SecondAdapter(Adapter):
    name = "adapter2"
    ports = ("adapter2Metrics",)


class Operator(Consumer):
    """The host operator: brings packages and kernel of a host to the release, by Ansible, or re-images it through its BMC."""

    name = "operator"
    principal = "host-operator"
    ports = ("operatorMetrics",)

    def build(self) -> None:
        python_environment.ensure(self.instance)

    def command(self) -> list[str]:
        return [str(python_environment.python(self.instance)), "-m", "drydock_remediation"]

    def environment(self) -> dict[str, str]:
        lab = self.state / "lab"
        abilities = {"DRYDOCK_BMC_CONFIG": str(lab / "bmc.json"), "DRYDOCK_HEALTH_CHECKS": str(lab / "health-checks")}
        return {**super().environment(), **python_environment.variables(self.instance.root), **abilities}


class SecondOperator(Operator):
    name = "operator2"
    ports = ("operator2Metrics",)
