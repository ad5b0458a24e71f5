"""The lab's network: a management namespace with the bridge of the hosts, and one link into the root namespace.

Hosts live on `SUBNET.0/25` behind the bridge at `SUBNET.1`, which also has the addresses of their BMCs; the root namespace
reaches them through the link `SUBNET.252/30`. A filter in the management namespace lets the root namespace open connections
to hosts and BMCs, and hosts to the package server, and nothing else: hosts see neither each other (isolated bridge ports) nor
BMCs nor listeners of the root namespace.
No rule, address or setting outside the lab's own namespaces is touched, except the link's one end and its route.
"""

from __future__ import annotations

from drydock_lab.commands import run
from drydock_lab.instance import Instance
from drydock_lab.plan import HostPlan, LabPlan
from drydock_lab.release import Metal

PACKAGE_PORT = 8080
TAP = "tap0"  # of a virtual machine, in the namespace of its host
SLOW = ("rate", "512kbit", "burst", "16k", "latency", "400ms")


def management_namespace(instance: Instance) -> str:
    return f"{instance.namespace_prefix}mg"


def host_namespace(instance: Instance, host: HostPlan) -> str:
    return f"{instance.namespace_prefix}{host.name}"


def port_of(instance: Instance, host: HostPlan) -> str:
    """The bridge's end of the host's cable."""
    return f"{instance.interface_prefix}v{host.index:02d}"


def create(instance: Instance, plan: LabPlan) -> None:
    """Makes everything; the caller has swept what was there before."""
    management = management_namespace(instance)
    net, prefix = instance.subnet, instance.interface_prefix
    run(["ip", "netns", "add", management])
    sysctl(management, "net/ipv6/conf/all/disable_ipv6", "1")
    sysctl(management, "net/ipv4/ip_forward", "1")
    batch(
        management,
        "link set lo up",
        "link add br0 type bridge",
        f"addr add {net}.1/25 dev br0",
        *(f"addr add {instance.bmc_address(host.index)}/25 dev br0" for host in plan.hosts),
        "link set br0 up",
    )
    run(["ip", "link", "add", f"{prefix}r", "type", "veth", "peer", "name", f"{prefix}m", "netns", management])
    batch(management, f"addr add {net}.253/30 dev {prefix}m", f"link set {prefix}m up")
    batch(None, f"addr add {net}.254/30 dev {prefix}r", f"link set {prefix}r up", f"route add {net}.0/25 via {net}.253")
    run(["ip", "netns", "exec", management, "nft", "-f", "-"], stdin=_filter(instance))
    for host in plan.hosts:
        _connect(instance, host)
        if plan.metal is Metal.QEMU:
            _lead_on(instance, host)
        else:
            _address(instance, host)


def set_link(instance: Instance, host: HostPlan, *, up: bool = True, slow: bool = False) -> None:
    """Plugs or pulls the host's cable, or lets little through to it."""
    management, port = management_namespace(instance), port_of(instance, host)
    batch(management, f"link set {port} {'up' if up else 'down'}")
    queue = ["tbf", *SLOW] if slow else ["noqueue"]
    run(["tc", "-n", management, "qdisc", "replace", "dev", port, "root", *queue])


def _connect(instance: Instance, host: HostPlan) -> None:
    management, namespace, port = management_namespace(instance), host_namespace(instance, host), port_of(instance, host)
    run(["ip", "netns", "add", namespace])
    sysctl(namespace, "net/ipv6/conf/all/disable_ipv6", "1")
    cable = ["ip", "link", "add", port, "netns", management, "type", "veth", "peer", "name", "eth0", "netns", namespace]
    run(cable)
    batch(management, f"link set {port} master br0", f"link set {port} type bridge_slave isolated on", f"link set {port} up")


def _address(instance: Instance, host: HostPlan) -> None:
    """The namespace is the host."""
    batch(
        host_namespace(instance, host),
        f"link set eth0 address {host.mac}",
        f"addr add {host.address}/25 dev eth0",
        "link set lo up",
        "link set eth0 up",
        f"route add default via {instance.subnet}.1",
    )


def _lead_on(instance: Instance, host: HostPlan) -> None:
    """The namespace is a cable to the virtual machine in it."""
    namespace = host_namespace(instance, host)
    run(["ip", "-n", namespace, "tuntap", "add", TAP, "mode", "tap"])
    batch(
        namespace,
        "link add br1 type bridge",
        *(line for end in ("eth0", TAP) for line in (f"link set {end} master br1", f"link set {end} up")),
        "link set br1 up",
    )


def _filter(instance: Instance) -> str:
    root_side = f"{instance.interface_prefix}m"
    return f"""
        table inet lab {{
          chain input {{
            type filter hook input priority 0; policy drop;
            iif lo accept
            ct state established,related accept
            iifname "{root_side}" accept
            iifname "br0" icmp type echo-request accept
            iifname "br0" ip daddr {instance.subnet}.1 tcp dport {PACKAGE_PORT} accept
            reject
          }}
          chain forward {{
            type filter hook forward priority 0; policy drop;
            ct state established,related accept
            iifname "{root_side}" oifname "br0" accept
            reject
          }}
        }}
        """


def batch(namespace: str | None, *lines: str) -> None:
    """Lines for `ip`, in a namespace or, without one, where we are."""
    where = ["-n", namespace] if namespace else []
    run(["ip", *where, "-batch", "-"], stdin="\n".join(lines) + "\n")


def sysctl(namespace: str, path: str, value: str) -> None:
    """A kernel setting of one namespace."""
    run(["ip", "netns", "exec", namespace, "sh", "-c", f"echo {value} > /proc/sys/{path}"])
