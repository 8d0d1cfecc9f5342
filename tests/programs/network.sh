. support/lib.sh
programs network
